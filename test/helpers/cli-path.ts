import { fileURLToPath } from 'node:url';

/** The built command line. */
export const cliPath = fileURLToPath(new URL('../../dist/runners/cli/main.js', import.meta.url));
