/** Puts a text into a colour, or leaves it as it is where the output is no terminal. */
export type Paint = (colour: Colour, text: string) => string;

type Colour = keyof typeof codes;

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, blue: 34, magenta: 35, cyan: 36 };

/** Colours on a terminal, unless NO_COLOR is set; never elsewhere. */
export function paintFor(
  isTerminal: boolean,
  env: { readonly [name: string]: string | undefined },
): Paint {
  const off = !isTerminal || (env['NO_COLOR'] ?? '') !== '' || env['TERM'] === 'dumb';
  return (colour, text) => (off ? text : `\u001b[${codes[colour]}m${text}\u001b[0m`);
}
