fail() { echo "FAIL: $1"; exit 1; }
[ -f deleted.txt ] || fail "deleted.txt is missing"
cmp -s deleted.txt "$TALARIA_TESTS/deleted.txt" || { cat deleted.txt; fail "deleted.txt is not right"; }
[ "$(find photos -type f | LC_ALL=C sort)" = "$(cat "$TALARIA_TESTS/left.txt")" ] || fail "the wrong files are left"
[ "$(cat "photos/2024/sunset.jpg" "photos/2025/cat (copy).jpg")" = "$(printf 'sunset over the bay\na cat')" ] || fail "a kept file was changed"
[ -d "photos/2025/summer trip" ] || fail "a directory was removed"
echo ok
