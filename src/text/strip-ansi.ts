// The patterns match control characters on purpose, so they are built from text.
const stringEnd = '(?:\\u0007|\\u001b\\\\|\\u009c)';
const sequences = new RegExp(
  [
    // Control sequences: colours, cursor movement, modes.
    '(?:\\u001b\\[|\\u009b)[\\u0030-\\u003f]*[\\u0020-\\u002f]*[\\u0040-\\u007e]?',
    // Strings with an end: titles, links, clipboard, device control. Without an end only the opener goes, so that
    // a stray one does not take the rest of the text with it.
    `(?:\\u001b[\\]PX^_]|[\\u0090\\u0098\\u009d\\u009e\\u009f])(?:[^\\u0007\\u001b\\u009c]*${stringEnd})?`,
    // Character sets and other short ones, then an escape that belongs to nothing.
    '\\u001b[\\u0020-\\u002f]*[\\u0030-\\u007e]?',
  ].join('|'),
  'g',
);
const introducer = '[\\u001b\\u0090\\u0098\\u009b\\u009d-\\u009f]';
const anyIntroducer = new RegExp(introducer);

/** Removes terminal escape sequences (7 and 8 bit forms), whole or cut off. No escape character is left. */
export function stripAnsi(text: string): string {
  return anyIntroducer.test(text) ? text.replace(sequences, '') : text;
}
