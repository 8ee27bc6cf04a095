git -C shop status --short
cat shop/lib/price.sh
