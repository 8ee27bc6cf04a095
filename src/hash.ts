import { hash } from 'node:crypto';

/** SHA-256 of UTF-8 text or bytes, as 64 lower-case hexadecimal digits. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data);
}
