git -C repo reflog --format='%h %gs'
git -C repo log --oneline main
