fail() { echo "FAIL: $1"; rm -rf "$scratch"; exit 1; }
[ -f due.sh ] || { echo "FAIL: due.sh is missing"; exit 1; }
scratch=$(mktemp -d)
here=$(pwd)
expect() {
  out=$(sh "$here/due.sh" "$1") || fail "exit code $? at $1"
  [ "$out" = "$(printf '%b' "$2")" ] || { printf '%s\n' "$out"; fail "wrong jobs at $1"; }
}
expect 03:00 'nightly backup\npoll the queue'
expect 08:05 'send reports'
expect 08:30 'poll the queue\nopen the shop'
expect 19:35 ''
# The files of a folder with names that a bare * would match.
cd "$scratch" || fail "no scratch folder"
: > 0; : > 59
cp "$TALARIA_TESTS/jobs.txt" jobs.txt
expect 00:00 'always\nmidnight\nquarter\nnear the hour\nseven'
expect 09:08 'always\neight past nine\npadded\nnear the hour'
expect 18:30 'always\nquarter\nevery six'
expect 08:41 'always\nmixed *'
expect 21:20 'always\nmixed *'
expect 19:20 'always'
expect 23:59 'always\nnear the hour'
expect 10:10 'always\na  b'
expect 23:49 'always\nseven'
for bad in 24:00 12:60 9:05 09:5 0905 '' ab:cd '*:00' ' 09:05' 09:05x -1:00; do
  out=$(sh "$here/due.sh" "$bad" 2>/dev/null)
  [ $? -eq 2 ] || fail "'$bad' is not refused with exit code 2"
  [ -z "$out" ] || fail "'$bad' prints to standard output"
done
rm -rf "$scratch"
echo ok
