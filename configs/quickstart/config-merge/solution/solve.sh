cat > merge.sh <<'END'
#!/bin/sh
# Prints the merged settings of configuration files.
settings=$(awk '
  function trim(text) { gsub(/^[ \t]+|[ \t]+$/, "", text); return text }
  {
    line = trim($0)
    if (line == "" || substr(line, 1, 1) == "#") next
    if (substr(line, 1, 1) == "!" && trim(substr(line, 2)) != "") {
      delete value[trim(substr(line, 2))]
      next
    }
    mark = index(line, "=")
    key = trim(substr(line, 1, mark - 1))
    if (mark == 0 || key == "") {
      print FILENAME ":" FNR ": bad line" > "/dev/stderr"
      failed = 1
      exit
    }
    value[key] = trim(substr(line, mark + 1))
  }
  END {
    if (failed) exit 1
    for (key in value) print key "=" value[key]
  }' "$@") || exit 1
if [ -n "$settings" ]; then
  printf '%s\n' "$settings" | LC_ALL=C sort -t= -k1,1
fi
END
sh merge.sh conf/base.conf conf/staging.conf conf/local.conf
