find site -type d -exec chmod 755 {} +
find site -type f -exec chmod 644 {} +
find site/bin -type f -exec chmod 755 {} +
find site/conf -type d -exec chmod 750 {} +
find site/conf -type f -exec chmod 640 {} +
find site/conf -type f -name '*.key' -exec chmod 600 {} +
ls -lR site
