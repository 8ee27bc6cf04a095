cat paginate.mjs
node paginate.mjs 1 3 < items.txt
