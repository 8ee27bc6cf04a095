fail() { echo "FAIL: $1"; rm -rf "$scratch"; exit 1; }
[ -f build.sh ] || { echo "FAIL: build.sh is missing"; exit 1; }
scratch=$(mktemp -d)
mkdir "$scratch/a" "$scratch/bin"
cp -R NAME VERSION src build.sh "$scratch/a/" || fail "a file of the project is missing"
# Only what was allowed: a PATH without awk, sed and node.
for tool in cat cp mv rm mkdir mktemp head tail printf echo wc cut tr test dirname basename sort ls sh dd od env expr touch chmod tee true false; do
  found=$(command -v "$tool")
  case $found in /*) ln -s "$found" "$scratch/bin/$tool" ;; esac
done
build() { (cd "$1" && PATH="$scratch/bin" sh build.sh); }

out=$(build "$scratch/a") || fail "the build of the project fails"
[ "$out" = "built 2 files" ] || fail "prints '$out'"
cmp -s "$scratch/a/dist/app.js" "$TALARIA_TESTS/first.js" || { cat "$scratch/a/dist/app.js"; fail "dist/app.js is not right"; }
[ "$(ls -A "$scratch/a/dist")" = app.js ] || fail "dist holds other files"

# A second build after changes: another order, backslashes, a leading dash, a last line without line end in ORDER.
mkdir -p "$scratch/b/src"
printf 'Other thing' > "$scratch/b/NAME"
printf '2.0.0-rc.1\n' > "$scratch/b/VERSION"
printf -- '-dash.js\n#z.js\n  two  spaces .js\na\\b.js' > "$scratch/b/src/ORDER"
printf 'dash("\\n");\n' > "$scratch/b/src/-dash.js"
: > "$scratch/b/src/  two  spaces .js"
printf 'x\n\n' > "$scratch/b/src/a\\b.js"
cp build.sh "$scratch/b/"
out=$(build "$scratch/b") || fail "the build of a second project fails"
[ "$out" = "built 3 files" ] || fail "prints '$out' for a second project"
cmp -s "$scratch/b/dist/app.js" "$TALARIA_TESTS/second.js" || { cat "$scratch/b/dist/app.js"; fail "dist/app.js of a second project is not right"; }

# A missing source leaves what was there.
printf 'lib/util.js\nlib/gone file.js\n' > "$scratch/a/src/ORDER"
if build "$scratch/a" > "$scratch/out" 2> "$scratch/err"; then fail "a missing source is no error"; fi
[ "$(cat "$scratch/err")" = "missing: lib/gone file.js" ] || fail "the message for a missing source is '$(cat "$scratch/err")'"
cmp -s "$scratch/a/dist/app.js" "$TALARIA_TESTS/first.js" || fail "a failed build changed dist/app.js"
[ "$(ls -A "$scratch/a/dist")" = app.js ] || fail "a failed build left a file in dist"
rm -r "$scratch/a/dist"
build "$scratch/a" > /dev/null 2>&1
[ $? -eq 1 ] || fail "the exit code of a failed build is not 1"
[ ! -e "$scratch/a/dist/app.js" ] || fail "a failed build made dist/app.js"
[ -z "$(ls -A "$scratch/a/dist" 2>/dev/null)" ] || fail "a failed build left a file in a new dist"
rm -rf "$scratch"
echo ok
