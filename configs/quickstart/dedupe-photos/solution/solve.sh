find photos -type f | LC_ALL=C sort | while IFS= read -r path; do
  printf '%s %s\n' "$(sha256sum < "$path" | cut -c1-64)" "$path"
done | awk '{
  digest = substr($0, 1, 64)
  path = substr($0, 66)
  if (digest in kept) printf "%s\t%s\n", path, kept[digest]
  else kept[digest] = path
}' > deleted.txt
cut -f1 deleted.txt | while IFS= read -r path; do
  rm "$path"
done
cat deleted.txt
