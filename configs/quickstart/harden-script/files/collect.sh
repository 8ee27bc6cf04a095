#!/bin/sh
src=$1
dst=$2
mkdir -p $dst
n=0
for f in `ls $src | grep .log`; do
  mv $src/$f $dst
  n=`expr $n + 1`
done
echo moved $n files
