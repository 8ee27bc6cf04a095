fail() { echo "FAIL: $1"; rm -rf "$scratch"; exit 1; }
[ -f merge.sh ] || { echo "FAIL: merge.sh is missing"; exit 1; }
scratch=$(mktemp -d)
run() { sh merge.sh "$@" 2> "$scratch/err"; }
same() { [ "$1" = "$2" ] || { printf 'got:\n%s\nexpected:\n%s\n' "$1" "$2"; fail "$3"; }; }

out=$(run conf/base.conf conf/staging.conf conf/local.conf) || fail "the example fails"
same "$out" "$(printf 'cache=\nhost=staging.example.org\nmotd=a = b # not a comment\nport=8080')" "the example is merged wrongly"

printf 'b=1\nB=2\n10=x\n9=y\na.b=z\na=\\n %%s\nb = 3 \n' > "$scratch/one file.conf"
out=$(run "$scratch/one file.conf") || fail "a file with a space in its name fails"
same "$out" "$(printf '10=x\n9=y\nB=2\na=\\n %%s\na.b=z\nb=3')" "order or values are wrong"

printf '!k\nk=1\n!k\n!never\nz=\t tab \t\nlast=yes' > "$scratch/two.conf"
out=$(run "$scratch/two.conf") || fail "removal fails"
same "$out" "$(printf 'last=yes\nz=tab')" "removal is wrong"
printf 'k = again\n' > "$scratch/three.conf"
out=$(run "$scratch/two.conf" "$scratch/three.conf" "$scratch/two.conf" "$scratch/three.conf")
same "$out" "$(printf 'k=again\nlast=yes\nz=tab')" "setting again after a removal is wrong"

printf '# only a comment\n' > "$scratch/empty.conf"
out=$(run "$scratch/empty.conf") || fail "a file without settings is an error"
[ -z "$out" ] || fail "prints something for no settings"

printf 'good=1\n\nno equals sign\nworse\n' > "$scratch/bad.conf"
for bad in 'no equals sign' '=value' '!' '! '; do
  printf 'good=1\n\n%s\nworse\n' "$bad" > "$scratch/bad.conf"
  out=$(run conf/base.conf "$scratch/bad.conf" conf/local.conf)
  [ $? -eq 1 ] || fail "the line '$bad' is no error"
  [ -z "$out" ] || fail "prints settings in spite of the line '$bad'"
  same "$(cat "$scratch/err")" "$scratch/bad.conf:3: bad line" "the message for '$bad' is wrong"
done
rm -rf "$scratch"
echo ok
