awk '
  /^```/ { fenced = !fenced; next }
  $0 == "<!-- /toc -->" { below = 1; next }
  fenced || !below || !/^###? / { next }
  {
    indent = /^### / ? "  " : ""
    title = $0
    sub(/^#+ /, "", title)
    gsub(/^[ \t]+|[ \t]+$/, "", title)
    anchor = tolower(title)
    gsub(/[^a-z0-9 _-]/, "", anchor)
    gsub(/ /, "-", anchor)
    times = seen[anchor]++
    if (times > 0) anchor = anchor "-" times
    print indent "- [" title "](#" anchor ")"
  }' GUIDE.md > toc.tmp
awk '
  $0 == "<!-- toc -->" { print; while ((getline line < "toc.tmp") > 0) print line; inside = 1; next }
  $0 == "<!-- /toc -->" { inside = 0 }
  !inside { print }' GUIDE.md > GUIDE.tmp
mv GUIDE.tmp GUIDE.md
rm toc.tmp
sed -n '/<!-- toc/,/<!-- .toc/p' GUIDE.md
