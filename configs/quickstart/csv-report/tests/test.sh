fail() { echo "FAIL: $1"; exit 1; }
[ -f report.csv ] || fail "report.csv is missing"
cmp -s report.csv "$TALARIA_TESTS/expected.csv" || { cat report.csv; fail "report.csv is not right"; }
echo ok
