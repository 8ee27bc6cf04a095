#!/bin/sh
# Makes the images of the Docker tests from what Debian's packages give, without a registry: a whole Debian (debootstrap) and
# one of busybox alone. Needs a running engine, and root for debootstrap. What is there already stays.
set -eu

have() { docker image inspect "$1" >/dev/null 2>&1; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

if ! have talaria-test/busybox; then
  busybox=$(command -v busybox)
  mkdir -p "$folder/busybox/bin" "$folder/busybox/etc" "$folder/busybox/tmp"
  cp "$busybox" "$folder/busybox/bin/busybox"
  for name in $("$busybox" --list); do
    [ "$name" = busybox ] || ln -s busybox "$folder/busybox/bin/$name"
  done
  echo 'root:x:0:0:root:/root:/bin/sh' >"$folder/busybox/etc/passwd"
  tar -C "$folder/busybox" -c . | docker import - talaria-test/busybox >/dev/null
fi

if ! have talaria-test/debian; then
  debootstrap --variant=minbase --include=procps,perl-base bookworm "$folder/debian" >"$folder/log" 2>&1 || {
    tail -20 "$folder/log" >&2
    exit 1
  }
  tar -C "$folder/debian" -c . | docker import - talaria-test/debian >/dev/null
fi
