import { posix } from 'node:path';
import type { ExposedHost } from '../sandbox.js';

/** Directories without which the host does not work, and those that hold everybody's homes. */
const systemRoots =
  /^\/(bin|boot|dev|etc|home|lib|lib32|lib64|libx32|opt|proc|root|run|sbin|srv|sys|usr|var|Users|System|Library|Applications)?$/;

/** What holds keys, passwords or the commands that a login runs. */
const secrets = [
  /^~\/\.(ssh|gnupg|aws|azure|kube|docker|config\/gcloud|password-store)(\/|$)/,
  /^~\/\.(netrc|pgpass|git-credentials|npmrc|pypirc)$/,
  /^~\/\.(bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|inputrc|gitconfig)$/,
  /^~\/\.config\/(fish|systemd|autostart)(\/|$)/,
];
const systemFiles =
  /^\/(etc|boot|dev\/(?!null$|zero$|stdout$|stderr$|stdin$|tty$|fd\/|shm\/|full$|u?random$))/;
const blockDevices = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|md|dm-|loop|nbd|sr|zd)/;

/** An absolute path with the user's home as `~`, without `.`, `..` and double slashes; others as they are. */
export function plainPath(path: string, { home }: ExposedHost): string {
  const full = path.replace(/^~(?=\/|$)/, home);
  if (!posix.isAbsolute(full)) {
    return path;
  }
  const normal = posix.normalize(full).replace(/(.)\/+$/, '$1');
  return normal === home || normal.startsWith(`${home}/`)
    ? `~${normal.slice(home.length)}`
    : normal;
}

/** Whether everything below a path must not be removed: the system, or a whole home. */
export function isSystemRoot(path: string, host: ExposedHost): boolean {
  const plain = plainPath(path, host).replace(/\/\*+$/, '') || '/';
  return plain === '~' || systemRoots.test(plain) || /^\/(home|Users)\/[^/]+$/.test(plain);
}

export function isBlockDevice(path: string): boolean {
  return blockDevices.test(posix.normalize(path));
}

/** Whether nobody but the host's owner should write to a path. */
export function isProtectedFile(path: string, host: ExposedHost): boolean {
  const plain = plainPath(path, host);
  return systemFiles.test(plain) || secrets.some((pattern) => pattern.test(plain));
}
