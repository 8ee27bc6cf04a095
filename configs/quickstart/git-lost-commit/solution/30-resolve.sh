if [ -f repo/.git/CHERRY_PICK_HEAD ]; then
  printf 'port = 9090\nworkers = 4\nretry = 3\n' > repo/app.conf
  git -C repo add app.conf
  git -C repo -c core.editor=true cherry-pick --continue
fi
git -C repo log --oneline main
git -C repo status --short
