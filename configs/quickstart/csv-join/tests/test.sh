fail() { echo "FAIL: $1"; exit 1; }
[ -f joined.csv ] || fail "joined.csv is missing"
cmp -s joined.csv "$TALARIA_TESTS/joined.csv" || { cat joined.csv; fail "joined.csv is not right"; }
echo ok
