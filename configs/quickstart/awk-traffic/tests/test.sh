fail() { echo "FAIL: $1"; exit 1; }
[ -f traffic.awk ] || fail "traffic.awk is missing"
out=$(awk -f traffic.awk < "$TALARIA_TESTS/first.log") || fail "awk does not run it"
[ "$out" = "$(cat "$TALARIA_TESTS/first.txt")" ] || { echo "$out"; fail "wrong output"; }
[ -z "$(awk -f traffic.awk < /dev/null)" ] || fail "prints something for an empty input"
# A program that pipes into sort prints nothing where there is no sort to be found.
bin=$(command -v awk)
out=$(PATH=/nonexistent "$bin" -f traffic.awk < "$TALARIA_TESTS/first.log" 2>/dev/null)
[ "$out" = "$(cat "$TALARIA_TESTS/first.txt")" ] || fail "starts another program"
echo ok
