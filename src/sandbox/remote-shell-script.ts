/**
 * How the dispatcher runs where only three streams lead in and out, as with a container engine or ssh: it is one process with
 * lane 0, and lane 1 passes through two named pipes that a second process reads. Both are started at once. The first line
 * of the first tells its process id. What is in the variables needs no quoting.
 */
export const remoteDispatcherScript = `
d=$TALARIA_STATE g=$TALARIA_GENERATION
umask 077
mkdir -p "$d/input" && rm -f "$d/o.$g" "$d/e.$g" && mkfifo "$d/e.$g" "$d/o.$g" || exit 70
printf 'pid %s\\n' "$$"
exec 3>"$d/o.$g" 4>"$d/e.$g" || exit 71
rm -f "$d/o.$g" "$d/e.$g"
unset d g TALARIA_GENERATION
eval "$TALARIA_DISPATCHER"
`;

/** Reads the named pipes of {@link remoteDispatcherScript}: lane 1's output is its standard output, lane 1's errors its error. */
export const remoteLaneScript = `
d=$TALARIA_STATE g=$TALARIA_GENERATION
n=0
until [ -p "$d/o.$g" ]; do
  n=$((n + 1))
  [ "$n" -lt 2000 ] || exit 72
  sleep 0.01 2>/dev/null || sleep 1
done
cat <"$d/e.$g" >&2 &
exec cat <"$d/o.$g"
`;
