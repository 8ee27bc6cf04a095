cat > build.sh <<'END'
#!/bin/sh
# Builds dist/app.js from the files named in src/ORDER.
set -eu

each() {
  while IFS= read -r path || [ -n "$path" ]; do
    case $path in '' | '#'*) continue ;; esac
    "$1" "$path"
  done < src/ORDER
}

check() {
  if [ ! -f "src/$1" ]; then
    printf 'missing: %s\n' "$1" >&2
    exit 1
  fi
}

count=0
append() {
  printf '// file: %s\n' "$1"
  cat "src/$1"
  if [ -n "$(tail -c 1 "src/$1")" ]; then echo; fi
  count=$((count + 1))
}

each check
output=$(mktemp)
trap 'rm -f "$output"' EXIT
exec 3>&1 > "$output"
printf '// %s %s\n' "$(cat NAME)" "$(cat VERSION)"
each append
exec 1>&3
mkdir -p dist
cp "$output" dist/app.js
echo "built $count files"
END
sh build.sh
cat dist/app.js
