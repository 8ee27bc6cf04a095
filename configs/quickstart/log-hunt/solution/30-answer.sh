first=$(cd logs && grep -n ' ERROR req=7f25 ' *.log | sort -t: -k3 | head -n 1 | cut -d: -f1,2)
charges=$(grep -c ' req=7f25 charge ok' logs/payment.log)
printf 'request=7f25\nfirst_error=%s\ncharges=%s\n' "$first" "$charges" > findings.txt
cat findings.txt
