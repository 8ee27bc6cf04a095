cat > audit.sh <<'END'
#!/bin/sh
# Compares a folder with its SHA256SUMS.
cd -- "$1" 2>/dev/null && [ -f SHA256SUMS ] || {
  echo "no SHA256SUMS in $1" >&2
  exit 2
}

differences=$(
  {
    while IFS= read -r line || [ -n "$line" ]; do
      path=${line#????????????????????????????????????????????????????????????????  }
      if [ ! -f "./$path" ]; then
        printf 'missing %s\n' "$path"
      elif [ "$(sha256sum < "./$path" | cut -c1-64)" != "$(printf %s "$line" | cut -c1-64)" ]; then
        printf 'changed %s\n' "$path"
      fi
    done < SHA256SUMS
    find . -type f | sed 's|^\./||' | while IFS= read -r path; do
      if [ "$path" != SHA256SUMS ] && ! cut -c67- SHA256SUMS | grep -qxF -e "$path"; then
        printf 'unknown %s\n' "$path"
      fi
    done
  } | LC_ALL=C sort -k2
)
if [ -n "$differences" ]; then
  printf '%s\n' "$differences"
  exit 1
fi
END
sh audit.sh release
