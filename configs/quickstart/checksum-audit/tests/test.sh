fail() { echo "FAIL: $1"; rm -rf "$scratch"; exit 1; }
[ -f audit.sh ] || { echo "FAIL: audit.sh is missing"; exit 1; }
scratch=$(mktemp -d)
expect() { # folder, exit code, output
  out=$(sh audit.sh "$1" 2>/dev/null)
  code=$?
  [ $code -eq "$2" ] || fail "exit code $code instead of $2 for $1"
  [ "$out" = "$3" ] || { printf '%s\n' "$out"; fail "wrong output for $1"; }
}
before=$(find release -type f -exec cksum {} + | LC_ALL=C sort)
expect release 1 "$(printf 'unknown docs/extra.txt\nchanged docs/notes.txt')"
expect release/ 1 "$(printf 'unknown docs/extra.txt\nchanged docs/notes.txt')"
[ "$(find release -type f -exec cksum {} + | LC_ALL=C sort)" = "$before" ] || fail "the folder was changed"

box="$scratch/a box"
mkdir -p "$box/sub dir" "$box/b"
printf 1 > "$box/-dash"; printf 2 > "$box/sub dir/two  spaces"; printf 3 > "$box/B"; printf 4 > "$box/b/[x].txt"; printf 5 > "$box/a.c"
(cd "$box" && sha256sum -- -dash "sub dir/two  spaces" B "b/[x].txt" a.c > SHA256SUMS)
expect "$box" 0 ''
printf 'other' > "$box/B"
rm "$box/b/[x].txt"
printf 9 > "$box/abc"
printf 9 > "$box/sub dir/two spaces"
printf 9 > "$box/b/SHA256SUMS"
rm "$box/-dash"
expect "$box" 1 "$(printf 'missing -dash\nchanged B\nunknown abc\nunknown b/SHA256SUMS\nmissing b/[x].txt\nunknown sub dir/two spaces')"
(cd "$scratch" && mkdir empty && : > empty/SHA256SUMS)
expect "$scratch/empty" 0 ''
printf x > "$scratch/empty/new"
expect "$scratch/empty" 1 'unknown new'
mkdir "$scratch/none"
expect "$scratch/none" 2 ''
rm -rf "$scratch"
echo ok
