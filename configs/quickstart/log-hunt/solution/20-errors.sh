(cd logs && grep -n ' ERROR req=7f25 ' *.log | sort -t: -k3)
