failed=0
expect() {
  mode=$(ls -ld "$2" 2>/dev/null | cut -c1-10)
  [ "$mode" = "$1" ] || { echo "FAIL: $2 has '$mode', expected '$1'"; failed=1; }
}
expect drwxr-xr-x site
expect drwxr-xr-x site/bin
expect drwxr-x--- site/conf
expect drwxr-x--- site/conf/keys
expect drwxr-xr-x site/public
expect drwxr-xr-x site/public/img
expect -rwxr-xr-x site/bin/deploy
expect -rwxr-xr-x "site/bin/roll back"
expect -rw-r----- site/conf/server.conf
expect -rw-r----- site/conf/mode.conf
expect -rw------- site/conf/keys/tls.key
expect -rw-r--r-- site/public/index.html
expect -rw-r--r-- "site/public/img/my logo.svg"
[ "$(find site | LC_ALL=C sort)" = "$(cat "$TALARIA_TESTS/tree.txt")" ] || { echo "FAIL: files were added or removed"; failed=1; }
[ "$(cat site/bin/deploy "site/bin/roll back" site/conf/mode.conf)" = "$(printf 'echo deploy\necho rollback\nmode = live')" ] || { echo "FAIL: a file was changed"; failed=1; }
[ $failed -eq 0 ] && echo ok
exit $failed
