import { stripAnsi } from './strip-ansi.js';

// Built from text, since a literal pattern of control characters is taken for a mistake.
const control = '[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f]';
const anyControl = new RegExp(control);
const everyControl = new RegExp(control, 'g');

/** Text without escape sequences and control characters other than tab, line feed and carriage return. */
export function plainText(text: string): string {
  return anyControl.test(text) ? stripAnsi(text).replace(everyControl, '') : text;
}
