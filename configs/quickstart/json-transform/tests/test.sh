fail() { echo "FAIL: $1"; exit 1; }
[ -f products.ndjson ] || fail "products.ndjson is missing"
cmp -s products.ndjson "$TALARIA_TESTS/expected.ndjson" || { cat products.ndjson; fail "products.ndjson is not right"; }
echo ok
