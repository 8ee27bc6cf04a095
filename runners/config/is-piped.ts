/** Whether a path stands for what comes through a pipe (`/dev/stdin`, the `/dev/fd/63` of a shell's `<(...)`). */
export function isPiped(path: string): boolean {
  return /^\/(dev|proc)\//.test(path);
}
