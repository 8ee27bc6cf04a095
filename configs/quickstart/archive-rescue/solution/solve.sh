mkdir -p restored
tar -xOf nightly.tar january.tar.gz | tar -xzf - -C restored
tar -xOf nightly.tar february.tar | tar -xf - -C restored
find restored -type f -name '*.tmp' -exec rm -f {} +
tar -czf clean.tar.gz -C restored backup
tar -tzf clean.tar.gz | grep -v '/$' | LC_ALL=C sort > contents.txt
cat contents.txt
