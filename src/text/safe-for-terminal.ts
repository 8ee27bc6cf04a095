import { plainText } from './plain-text.js';

// Control characters but tab and newline; marks that change the direction of text; lone surrogates. Built from text,
// since a literal pattern of control characters is taken for a mistake.
const unsafe =
  '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069]';
const anyUnsafe = new RegExp(unsafe);
const everyUnsafe = new RegExp(unsafe, 'g');

/**
 * Text that may be written to a terminal: without escape sequences, without control characters but newline and tab,
 * without characters that reorder what is shown, and well-formed. Words and line breaks stay as they are.
 */
export function safeForTerminal(text: string): string {
  const clean = anyUnsafe.test(text) ? plainText(text).replace(everyUnsafe, '') : text;
  return clean.toWellFormed();
}
