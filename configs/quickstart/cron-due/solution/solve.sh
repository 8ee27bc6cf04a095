cat > due.sh <<'END'
#!/bin/sh
# Prints the jobs of jobs.txt that are due at HH:MM.
set -f

case $1 in
  [01][0-9]:[0-5][0-9] | 2[0-3]:[0-5][0-9]) ;;
  *)
    echo 'usage: due.sh HH:MM' >&2
    exit 2
    ;;
esac

number() { # without leading zeros: 08 would be octal
  value=${1#0}
  echo "${value:-0}"
}

matches() { # value, field
  list=$2,
  while [ -n "$list" ]; do
    item=${list%%,*}
    list=${list#*,}
    case $item in
      '*') return 0 ;;
      '*/'*) [ $(($1 % $(number "${item#??}"))) -eq 0 ] && return 0 ;;
      *) [ "$1" -ge "$(number "${item%-*}")" ] && [ "$1" -le "$(number "${item#*-}")" ] && return 0 ;;
    esac
  done
  return 1
}

hour=$(number "${1%:*}")
minute=$(number "${1#*:}")
while IFS= read -r line || [ -n "$line" ]; do
  case $line in '' | '#'*) continue ;; esac
  rest=${line#* }
  if matches "$minute" "${line%% *}" && matches "$hour" "${rest%% *}"; then
    printf '%s\n' "${rest#* }"
  fi
done < jobs.txt
END
sh due.sh 08:30
