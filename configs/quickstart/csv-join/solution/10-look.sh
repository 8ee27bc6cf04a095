cat orders.csv
cat customers.csv
