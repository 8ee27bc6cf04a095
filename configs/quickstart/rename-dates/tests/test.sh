fail() { echo "FAIL: $1"; exit 1; }
[ -d scans ] || fail "scans is missing"
found=$(cd scans && for name in *; do printf '%s: %s\n' "$name" "$(cat "$name")"; done | LC_ALL=C sort)
[ "$found" = "$(cat "$TALARIA_TESTS/scans.txt")" ] || { printf '%s\n' "$found"; fail "the files in scans are not right"; }
[ -f skipped.txt ] || fail "skipped.txt is missing"
cmp -s skipped.txt "$TALARIA_TESTS/skipped.txt" || { cat skipped.txt; fail "skipped.txt is not right"; }
echo ok
