/** Arguments of `sh` that start {@link shellDispatcher}. */
export const dispatcherArguments: readonly string[] = ['-c', 'eval "$TALARIA_DISPATCHER"'];

/** Settings of a dispatcher. */
export interface DispatcherSettings {
  /** Directory for its files, as the shell sees it; private to it, and of a name that needs no quoting. */
  readonly stateDirectory: string;
  /** Where it finds `cat`, `dd`, `rm` and what the host asks for; never the session's own PATH. */
  readonly path: string;
  /** Writes its process id to fd 5 first. @default false */
  readonly announce?: boolean;
  /** Processes and threads that its user may have. @default no limit of its own */
  readonly processes?: number | null;
}

/** The environment to start {@link shellDispatcher} with; it keeps none of it. */
export function dispatcherEnvironment(settings: DispatcherSettings): { [name: string]: string } {
  return {
    TALARIA_DISPATCHER: shellDispatcher,
    TALARIA_PATH: settings.path,
    TALARIA_STATE: settings.stateDirectory,
    ...(settings.announce === true ? { TALARIA_ANNOUNCE: '1' } : {}),
    ...(settings.processes ? { TALARIA_PROCESSES: `${settings.processes}` } : {}),
  };
}

/**
 * The POSIX shell program at the far end of a {@link ShellChannel}: it reads framed requests from its standard input
 * and runs each command in a forked subshell, so that `exit`, `exec`, `set -e`, a syntax error or an open quote end
 * that subshell and nothing else. Works in dash, busybox ash and bash. It gets its
 * settings from {@link dispatcherEnvironment}; the text travels in a variable too, so that `ps` shows a short line.
 *
 * Requests are lines `TOKEN put SIZE FILE` (then SIZE raw bytes) and
 * `TOKEN run NONCE ID OUT ERR IN STATE_IN STATE_OUT MODE P C` (then P lines of prelude and C of command, each behind a
 * colon). Whatever does not begin with the token is skipped, so a stray byte never becomes a command.
 * Replies go to the streams of the lane: `<NONCE>` before a command's output, and after it `</NONCE STATUS SAVED>`.
 *
 * Where memory runs out, the kernel is to end what runs here before it ends the host's own program.
 *
 * Traps: the nonce and the token are unset in the subshell; the shell's own fds 3 to 6 are closed in it; the state file
 * counts only once the command's shell has written the id of the request into `saved`, so that a full disk or a
 * kill leaves the state of before. A subshell that never calls exec shows no new environment on /proc, so it carries the
 * command's number in its name (`sh:12`). These files are overwritten in place, since truncating one costs 0.3 ms on ext4;
 * `return` keeps a longer old end from being read. A file is read by `dd`, which takes just as many bytes as it is told.
 */
export const shellDispatcher = `
PATH=$TALARIA_PATH
_t_dir=$TALARIA_STATE
[ -z "$TALARIA_ANNOUNCE" ] || printf '%s\\n' "$$" >&5
exec 5>&1 6>&2 >/dev/null 2>/dev/null
echo 1000 >/proc/self/oom_score_adj
[ -z "$TALARIA_PROCESSES" ] || ulimit -p "$TALARIA_PROCESSES" || ulimit -u "$TALARIA_PROCESSES"
unset TALARIA_DISPATCHER TALARIA_PATH TALARIA_STATE TALARIA_ANNOUNCE TALARIA_PROCESSES ENV BASH_ENV CDPATH
trap : HUP INT QUIT TERM USR1 USR2 ALRM
umask 022
_t_token=
_t_missed=0
_t_put=0

_t_save() {
  { set +aefuvxC; } 2>/dev/null
  [ "$_t_out" != - ] || return 0
  if [ -n "$_t_keep" ]; then
    TALARIA_CWD=$_t_cwd
  elif [ "$PWD" -ef . ] || [ ! -e "$PWD" ]; then
    TALARIA_CWD=$PWD
  else
    TALARIA_CWD=$(command pwd -P)
  fi
  TALARIA_OLDPWD=$OLDPWD
  _t_restore
  unset TALARIA_EXEC_ID
  export TALARIA_CWD TALARIA_OLDPWD
  {
    { export -p && printf 'return 0\\n'; } 1<>"$_t_dir/$_t_out" &&
      printf '%s\\n' "$_t_id" 1<>"$_t_dir/saved"
  } 2>/dev/null
  _t_out=-
}
_t_restore() { :; }

_t_go() {
  case $1 in /*) ;; *) return ;; esac
  until [ -z "$1" ] || cd -- "$1" 2>/dev/null; do set -- "\${1%/*}"; done
}

_t_load() {
  _t_keep=
  case $_t_mode in
  clean)
    [ "$_t_in" = - ] || _t_cwd=$(command . "$_t_dir/$_t_in" >/dev/null 2>&1; printf '%sx' "$TALARIA_CWD")
    _t_cwd=\${_t_cwd%x}
    ;;
  *)
    set -- "$_t_id" "$_t_out" "$_t_dir" "$_t_prelude" "$_t_text"
    [ "$_t_in" = - ] || command . "$_t_dir/$_t_in" 2>/dev/null
    _t_id=$1 _t_out=$2 _t_dir=$3 _t_prelude=$4 _t_text=$5 _t_keep=
    _t_cwd=$TALARIA_CWD
    _t_old=$TALARIA_OLDPWD
    unset TALARIA_CWD TALARIA_OLDPWD
    TALARIA_EXEC_ID=$_t_id
    export TALARIA_EXEC_ID
    { printf 'sh:%s' "\${_t_id##*.}" >/proc/self/comm; } 2>/dev/null
    ;;
  esac
  _t_go "$_t_cwd"
  [ -z "$_t_old" ] || OLDPWD=$_t_old
}

_t_lines() {
  _t_text=
  while [ "$1" -gt 0 ] && IFS= read -r _t_line; do
    _t_text=$_t_text\${_t_line#:}
    [ "$1" -eq 1 ] || _t_text="$_t_text
"
    set -- $(($1 - 1))
  done
}

_t_reply() {
  printf '</%s %s %s>' "$_t_nonce" "$1" "$2" >&"$3"
  [ "$3" = "$4" ] || printf '</%s %s %s>' "$_t_nonce" "$1" "$2" >&"$4"
}

while :; do
  if IFS= read -r _t_line; then
    _t_missed=0
  else
    _t_missed=$((_t_missed + 1))
    [ "$_t_missed" -lt 9 ] || break
    continue
  fi
  case $_t_line in
  "hello "?*)
    [ -z "$_t_token" ] || continue
    _t_token=\${_t_line#hello }
    _t_nonce=$_t_token
    printf '<%s>' "$_t_nonce" >&5
    printf '<%s>' "$_t_nonce" >&6
    _t_reply 0 0 5 6
    continue
    ;;
  "$_t_token "?*) [ -n "$_t_token" ] || continue ;;
  *) continue ;;
  esac
  set -- $_t_line
  case $2 in
  put)
    if [ -e "$_t_dir/$4" ] || [ -L "$_t_dir/$4" ]; then rm -rf "$_t_dir/$4"; fi
    {
      [ "$3" -lt 65536 ] || dd bs=65536 count=$(($3 / 65536)) iflag=fullblock
      [ $(($3 % 65536)) -eq 0 ] || dd bs=$(($3 % 65536)) count=1 iflag=fullblock
    } | {
      cat >|"$_t_dir/$4" || { cat >/dev/null; false; }
    }
    [ $? -eq 0 ] || _t_put=1
    ;;
  run)
    _t_nonce=$3 _t_id=$4 _t_o=$5 _t_e=$6 _t_stdin=$7 _t_in=$8 _t_out=$9
    shift 9
    _t_mode=$1 _t_count=$3
    _t_lines "$2"
    _t_prelude=$_t_text
    case $_t_count in
    file) _t_text= ;;
    *) _t_lines "$_t_count" ;;
    esac
    printf '<%s>' "$_t_nonce" >&"$_t_o"
    [ "$_t_o" = "$_t_e" ] || printf '<%s>' "$_t_nonce" >&"$_t_e"
    if [ "$_t_put" -ne 0 ]; then
      _t_put=0
      printf 'no space left for the input\\n' >&"$_t_e"
      _t_reply 125 0 "$_t_o" "$_t_e"
      continue
    fi
    (
      trap - HUP INT QUIT TERM USR1 USR2 ALRM
      unset _t_token _t_nonce _t_line
      [ "$_t_count" != file ] || { _t_text=$(cat "$_t_dir/input/command"; printf x); _t_text=\${_t_text%x}; }
      set --
      trap _t_save EXIT
      _t_load
      eval "$_t_prelude"
      eval "$_t_text"
      _t_status=$?
      _t_save
      exit "$_t_status"
    ) <"$_t_stdin" >&"$_t_o" 2>&"$_t_e" 3>&- 4>&- 5>&- 6>&-
    _t_status=$?
    _t_saved=
    [ "$_t_out" = - ] || [ ! -f "$_t_dir/saved" ] || read -r _t_saved <"$_t_dir/saved"
    case $_t_saved in "$_t_id") _t_saved=1 ;; *) _t_saved=0 ;; esac
    [ "$_t_stdin" = /dev/null ] || rm -f "$_t_stdin"
    _t_reply "$_t_status" "$_t_saved" "$_t_o" "$_t_e"
    ;;
  esac
done
kill -KILL 0
`;
