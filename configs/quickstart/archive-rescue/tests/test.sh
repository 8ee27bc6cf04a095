fail() { echo "FAIL: $1"; rm -rf "$scratch"; exit 1; }
scratch=$(mktemp -d)
check_tree() {
  [ "$(cd "$1" && find backup -type f | LC_ALL=C sort)" = "$(cat "$TALARIA_TESTS/contents.txt")" ] || fail "$2 does not hold the right files"
  [ "$(cat "$1/backup/2026-01/budget.txt")" = "budget January, corrected" ] || fail "$2 holds the old budget of January"
  [ "$(cat "$1/backup/2026-01/in box/minutes 01.txt")" = "minutes of January" ] || fail "$2: minutes of January are wrong"
  [ "$(cat "$1/backup/2026-02/minutes.txt")" = "minutes of February" ] || fail "$2: minutes of February are wrong"
  [ "$(cat "$1/backup/2026-02/budget.txt")" = "budget February" ] || fail "$2: budget of February is wrong"
}
[ -d restored/backup ] || fail "restored/backup is missing"
check_tree restored restored
[ -f clean.tar.gz ] || fail "clean.tar.gz is missing"
gzip -t clean.tar.gz 2>/dev/null || fail "clean.tar.gz is not gzip"
tar -tzf clean.tar.gz | grep -qv '^backup/' && fail "a path in clean.tar.gz does not begin with backup/"
tar -xzf clean.tar.gz -C "$scratch" || fail "clean.tar.gz cannot be read"
check_tree "$scratch" clean.tar.gz
cmp -s contents.txt "$TALARIA_TESTS/contents.txt" || fail "contents.txt is not right"
[ "$(tar -tf nightly.tar | tr '\n' ' ')" = "january.tar.gz february.tar " ] || fail "nightly.tar was changed"
[ -z "$(find . -name 'january.tar.gz' -o -name 'february.tar')" ] || fail "an inner archive was left behind"
rm -rf "$scratch"
echo ok
