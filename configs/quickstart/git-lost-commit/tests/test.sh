fail() { echo "FAIL: $1"; exit 1; }
cd repo || fail "repo is missing"
[ "$(git symbolic-ref --short HEAD)" = main ] || fail "main is not checked out"
[ -z "$(git status --porcelain)" ] || fail "the working tree is not clean"
git log --reverse --format=%s main > "${TMPDIR:-/tmp}/subjects.$$"
cmp -s "${TMPDIR:-/tmp}/subjects.$$" "$TALARIA_TESTS/subjects.txt"
same=$?
rm -f "${TMPDIR:-/tmp}/subjects.$$"
[ $same -eq 0 ] || { git log --oneline main; fail "the history of main is not as asked"; }
[ "$(git show main:app.conf | sort | tr '\n' ';')" = "port = 9090;retry = 3;workers = 4;" ] || fail "app.conf is not right"
[ "$(git show main:NOTES)" = "retry: how often a failed job is repeated" ] || fail "NOTES is not right"
[ "$(git show main~1:app.conf | tr '\n' ';')" = "port = 9090;workers = 4;" ] || fail "an earlier commit was rewritten"
echo ok
