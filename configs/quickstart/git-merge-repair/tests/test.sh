fail() { echo "FAIL: $1"; exit 1; }
cd shop || fail "shop is missing"
[ ! -e .git/MERGE_HEAD ] || fail "the merge is still in progress"
[ -z "$(git status --porcelain)" ] || fail "the working tree is not clean"
[ "$(git symbolic-ref --short HEAD)" = main ] || fail "main is not checked out"
[ "$(git rev-list --parents -n 1 main | wc -w)" -eq 3 ] || fail "the last commit of main is not a merge of two"
[ "$(git log -1 --format=%s main^1)" = "Refuse less than one piece" ] || fail "the first parent is not the old main"
[ "$(git rev-parse main^2)" = "$(git rev-parse discount)" ] || fail "the second parent is not discount"
[ "$(git rev-list --count main)" -eq 4 ] || fail "main has more or fewer commits than asked"
for pair in 1:100 7:700 9:900 10:900 15:1350 200:18000; do
  out=$(sh shop.sh "${pair%%:*}" 2>&1) || fail "shop.sh ${pair%%:*} fails: $out"
  [ "$out" = "${pair##*:}" ] || fail "shop.sh ${pair%%:*} prints $out"
done
for pieces in 0 -3; do
  if out=$(sh shop.sh "$pieces" 2>/dev/null); then fail "shop.sh $pieces succeeds"; fi
  [ -z "$out" ] || fail "shop.sh $pieces prints to standard output"
  [ "$(sh shop.sh "$pieces" 2>&1)" = "error: at least one piece" ] || fail "shop.sh $pieces has no or another message"
done
echo ok
