import { messageOf } from './errors.js';

/**
 * Why a file cannot be read or loaded, in words that continue "... cannot be read: ". The message of the system names the
 * call and the path once more, which the sentence has said.
 */
export function fileProblem(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  return problems[code] ?? messageOf(thrown);
}

const problems: { readonly [code: string]: string } = {
  ENOENT: 'there is no such file or folder',
  ENOTDIR: 'a part of the path is a file and no folder',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  ELOOP: 'links lead in a circle',
  ENAMETOOLONG: 'its name is too long',
};
