fail() { echo "FAIL: $1"; exit 1; }
[ -f paginate.mjs ] || fail "paginate.mjs is missing"
exec node "$TALARIA_TESTS/check.mjs"
