/** Bytes of a file as text. `exact` is false when bytes had to be replaced: such text must not be written back. */
export type DecodedText =
  | { readonly binary: true }
  | { readonly binary: false; readonly text: string; readonly exact: boolean };

/**
 * UTF-8 text of a file, a byte order mark kept. Binary is what has a NUL among its first 8,000 bytes, as git judges.
 */
export function decodeText(bytes: Uint8Array): DecodedText {
  if (bytes.subarray(0, 8_000).includes(0)) {
    return { binary: true };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return { binary: false, text, exact: true };
  } catch {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
    return { binary: false, text, exact: false };
  }
}

/** The refusal to show or edit a binary file. */
export function binaryMessage(path: string): string {
  return `${path} is a binary file and cannot be handled as text. Use the terminal for it (file, xxd, strings, iconv).`;
}
