{
  echo 'region,orders,units,revenue'
  tr -d '\r' < sales.csv | awk -F, '
    NR == 1 || NF < 5 || $4 + 0 <= 0 { next }
    {
      region = tolower($2)
      gsub(/^ +| +$/, "", region)
      orders[region]++
      units[region] += $4
      revenue[region] += $4 * $5
    }
    END {
      for (region in orders)
        printf "%s,%d,%d,%.2f\n", region, orders[region], units[region], revenue[region]
    }' | LC_ALL=C sort -t, -k4,4nr -k1,1
} > report.csv
cat report.csv
