fail() { echo "FAIL: $1"; rm -rf "$scratch"; exit 1; }
[ -f collect.sh ] || { echo "FAIL: collect.sh is missing"; exit 1; }
scratch=$(mktemp -d)
cp collect.sh "$scratch/collect.sh"
cd "$scratch" || fail "no scratch folder"

weird=$(printf 'two\nlines.log')
source=$(printf -- '-in *[x] "q"')
mkdir "./$source" "./$source/sub" "./$source/dir.log"
for name in a.log 'b c.log' -n.log -- '*.log' '?.log' "it's.log" 'back\slash.log' "$weird" .hidden.log .log ' lead.log' '$HOME.log'; do
  [ "$name" = -- ] && continue
  printf '%s' "$name" > "./$source/$name"
done
echo keep > "./$source/log"
echo keep > "./$source/a.log.gz"
echo keep > "./$source/xlog"
echo keep > "./$source/sub/deep.log"
ln -s a.log "./$source/link.log"

out=$(sh collect.sh "$source" "-out dir/deep") || fail "exit code $? for odd names"
[ "$out" = "moved 12 files" ] || fail "prints '$out' instead of 'moved 12 files'"
for name in a.log 'b c.log' -n.log '*.log' '?.log' "it's.log" 'back\slash.log' "$weird" .hidden.log .log ' lead.log' '$HOME.log'; do
  [ "$(cat "./-out dir/deep/$name" 2>/dev/null)" = "$name" ] || fail "'$name' did not arrive"
  [ ! -e "./$source/$name" ] || fail "'$name' is still in the source"
done
for name in log a.log.gz xlog sub/deep.log dir.log; do
  [ -e "./$source/$name" ] || fail "'$name' should have stayed"
done
[ -L "./$source/link.log" ] || fail "the symbolic link should have stayed"
[ "$(ls -A "./-out dir/deep" | wc -l)" -eq 13 ] || fail "the target holds other files"

# Nothing is overwritten; absolute paths work.
mkdir in target
echo new > in/same.log
echo new > in/other.log
echo old > target/same.log
out=$(sh collect.sh "$scratch/in" "$scratch/target" 2> err)
[ $? -eq 1 ] || fail "a name that is taken must end with exit code 1"
[ "$out" = "moved 1 files" ] || fail "prints '$out' instead of 'moved 1 files'"
[ "$(cat err)" = "kept: same.log" ] || fail "the message for a name that is taken is '$(cat err)'"
[ "$(cat target/same.log)" = old ] && [ "$(cat in/same.log)" = new ] || fail "a file was overwritten or lost"
[ "$(cat target/other.log)" = new ] || fail "the other file was not moved"

mkdir empty
[ "$(sh collect.sh empty out2)" = "moved 0 files" ] || fail "an empty folder is not handled"
[ -d out2 ] || fail "the target was not made for an empty folder"

sh collect.sh nowhere out3 > /dev/null 2>&1
[ $? -eq 2 ] || fail "a source that is no folder must end with exit code 2"
sh collect.sh in > /dev/null 2>&1
[ $? -eq 2 ] || fail "one argument must end with exit code 2"
sh collect.sh in out3 more > /dev/null 2>&1
[ $? -eq 2 ] || fail "three arguments must end with exit code 2"
[ ! -e out3 ] || fail "the target was made in spite of an error"
rm -rf "$scratch"
echo ok
