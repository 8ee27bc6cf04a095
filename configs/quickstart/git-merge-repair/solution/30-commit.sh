git -C shop add lib/price.sh
git -C shop commit -q --no-edit
git -C shop log --oneline --graph
