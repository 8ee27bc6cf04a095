fail() { echo "FAIL: $1"; exit 1; }
[ -f findings.txt ] || fail "findings.txt is missing"
cmp -s findings.txt "$TALARIA_TESTS/expected.txt" || { cat findings.txt; fail "findings.txt is not right"; }
[ "$(cat logs/gateway.log logs/payment.log logs/queue.log | cksum)" = "$(cat "$TALARIA_TESTS/logs.cksum")" ] || fail "the logs were changed"
echo ok
