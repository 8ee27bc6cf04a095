cat > rename.sh <<'END'
LC_ALL=C
export LC_ALL

days_in() { # month, year
  case $1 in
    4 | 6 | 9 | 11) echo 30 ;;
    2) if [ $(($2 % 4)) -eq 0 ] && { [ $(($2 % 100)) -ne 0 ] || [ $(($2 % 400)) -eq 0 ]; }; then echo 29; else echo 28; fi ;;
    *) echo 31 ;;
  esac
}

: > ../skipped.txt
for old in *; do
  parts=$(printf '%s\n' "$old" | sed -n 's/^\(..*\) \([0-9]\{1,2\}\)\.\([0-9]\{1,2\}\)\.\([0-9]\{4\}\)\.txt$/\4 \3 \2 \1/p')
  year=${parts%% *}
  rest=${parts#* }
  month=${rest%% *}
  rest=${rest#* }
  day=${rest%% *}
  word=${rest#* }
  month=${month#0}
  day=${day#0}
  if [ -z "$parts" ] || [ "${month:-0}" -lt 1 ] || [ "$month" -gt 12 ] || [ "${day:-0}" -lt 1 ] ||
    [ "$day" -gt "$(days_in "$month" "$year")" ]; then
    printf '%s\n' "$old" >> ../skipped.txt
    continue
  fi
  base=$(printf '%04d-%02d-%02d_%s' "$year" "$month" "$day" "$(printf %s "$word" | tr 'A-Z ' 'a-z-')")
  new=$base.txt
  number=2
  while [ -e "$new" ]; do
    new=$base-$number.txt
    number=$((number + 1))
  done
  mv "$old" "$new"
done
END
(cd scans && sh ../rename.sh)
rm rename.sh
ls scans
cat skipped.txt
