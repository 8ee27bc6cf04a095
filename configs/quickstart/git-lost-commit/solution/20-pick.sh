lost=$(git -C repo reflog --format='%H %gs' | sed -n 's/^\([0-9a-f]*\) commit: Add retry setting$/\1/p' | head -n 1)
git -C repo cherry-pick "$lost" || git -C repo diff
