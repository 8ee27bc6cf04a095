cat > collect.sh <<'END'
#!/bin/sh
# Moves the *.log files of one folder into another, never over an existing one.
if [ $# -ne 2 ]; then
  echo 'usage: collect.sh SOURCE TARGET' >&2
  exit 2
fi

plain() {
  case $1 in
    /*) printf '%s/' "$1" ;;
    *) printf './%s/' "$1" ;;
  esac
}
source=$(plain "$1")
target=$(plain "$2")
if [ ! -d "$source" ]; then
  printf 'not a folder: %s\n' "$1" >&2
  exit 2
fi
mkdir -p "$target" || exit 2

moved=0
code=0
for file in "$source"*.log "$source".*.log "$source".log; do
  if [ ! -f "$file" ] || [ -L "$file" ]; then
    continue
  fi
  name=${file#"$source"}
  if [ -e "$target$name" ] || [ -L "$target$name" ]; then
    printf 'kept: %s\n' "$name" >&2
    code=1
  elif mv "$file" "$target$name"; then
    moved=$((moved + 1))
  else
    code=1
  fi
done
echo "moved $moved files"
exit $code
END
mkdir -p try/in && touch 'try/in/a b.log' 'try/in/.log'
sh collect.sh try/in try/out
ls -A try/out
rm -r try
