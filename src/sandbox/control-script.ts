/**
 * The POSIX shell program that looks after the processes of a sandbox from within. It is started before the agent's first
 * command and uses nothing but what is built into the shell, so it works where no process can be started any more.
 *
 * It reads lines and answers each with lines, of which the last is `end`:
 * `list` gives `uptime SECONDS` and for each process `p PID STATE PARENT GROUP START ID`, where ID is the number of the
 * command that it says it is of, or `-`; `signal NAME PID...` sends a signal (-1: to all but itself); `oom` gives how often the
 * kernel ended a process of this control group because memory ran out. Its streams are those of lane 1 of the dispatcher
 * with the same generation: see {@link containerShellScript}.
 */
export const controlScript = `
trap : HUP INT QUIT TERM USR1 USR2 ALRM PIPE
c_id() {
  c_found=-
  case $c_name in
  sh:*[!0-9]*) ;;
  sh:?*) c_found=\${c_name#sh:} ;;
  esac
  while IFS= read -r c_line || [ -n "$c_line" ]; do
    case $c_line in
    *TALARIA_EXEC_ID=[0-9]*)
      c_line=\${c_line#*TALARIA_EXEC_ID=}
      c_found=\${c_line%%[!0-9]*}
      return
      ;;
    esac
    c_line=
  done
}
c_list() {
  { read -r c_up c_rest </proc/uptime; } 2>/dev/null
  echo "uptime $c_up"
  for c_dir in /proc/[0-9]*; do
    c_stat=
    {
      while IFS= read -r c_line || [ -n "$c_line" ]; do
        c_stat="$c_stat $c_line"
        c_line=
      done <"$c_dir/stat"
    } 2>/dev/null
    [ -n "$c_stat" ] || continue
    c_name=\${c_stat#*"("}
    c_name=\${c_name%")"*}
    set -- \${c_stat##*")"}
    c_found=-
    { c_id <"$c_dir/environ"; } 2>/dev/null
    echo "p \${c_dir#/proc/} $1 $2 $3 \${20} $c_found"
  done
}
c_oom() {
  for c_file in /sys/fs/cgroup/memory.events /sys/fs/cgroup/memory/memory.oom_control; do
    while read -r c_key c_value; do
      [ "$c_key" != oom_kill ] || echo "oom $c_value"
    done <"$c_file"
  done 2>/dev/null
}
echo "self $$"
while IFS= read -r c_request; do
  set -f
  set -- $c_request
  set +f
  case $1 in
  list) c_list ;;
  oom) c_oom ;;
  signal)
    c_signal=$2
    shift 2
    for c_pid; do kill -s "$c_signal" -- "$c_pid" 2>/dev/null; done
    ;;
  esac
  echo end
done
`;
