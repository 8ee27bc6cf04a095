cat > traffic.awk <<'END'
NF == 5 {
  path = $3
  mark = index(path, "?")
  if (mark > 0) path = substr(path, 1, mark - 1)
  if (!(path in requests)) paths[++count] = path
  requests[path]++
  if ($4 >= 500 && $4 <= 599) errors[path]++
  if ($5 != "-") bytes[path] += $5
}
END {
  for (i = 2; i <= count; i++) {
    current = paths[i]
    for (j = i - 1; j >= 1 && (paths[j] "") > (current ""); j--) paths[j + 1] = paths[j]
    paths[j + 1] = current
  }
  for (i = 1; i <= count; i++)
    printf "%s %d %d %.0f\n", paths[i], requests[paths[i]], errors[paths[i]], bytes[paths[i]]
}
END
LC_ALL=C awk -f traffic.awk < access.log
