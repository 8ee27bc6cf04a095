grep -n 'order=A-1042$' logs/gateway.log
for id in $(grep 'order=A-1042$' logs/gateway.log | sed 's/.* req=\([^ ]*\) .*/\1/' | sort -u); do
  echo "$id: $(grep -c "req=$id charge ok" logs/payment.log) charges"
done
