cat > shop/lib/price.sh <<'END'
price() {
  if [ "$1" -lt 1 ]; then
    echo "error: at least one piece" >&2
    return 1
  fi
  full=$(($1 * 100))
  if [ "$1" -ge 10 ]; then
    full=$((full * 9 / 10))
  fi
  echo "$full"
}
END
(cd shop && sh shop.sh 9 && sh shop.sh 10; sh shop.sh 0; echo "exit code $?")
