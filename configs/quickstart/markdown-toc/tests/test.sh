fail() { echo "FAIL: $1"; exit 1; }
[ -f GUIDE.md ] || fail "GUIDE.md is missing"
cmp -s GUIDE.md "$TALARIA_TESTS/GUIDE.md" || { sed -n '/<!-- toc/,/<!-- .toc/p' GUIDE.md; fail "GUIDE.md is not right"; }
echo ok
