import type { Reporter } from './reporter.js';

/** Nothing but warnings and errors. */
export function quietReporter(write: (text: string) => void): Reporter {
  return {
    onNotice({ level, message }) {
      if (level !== 'info') {
        write(`${level}: ${message}\n`);
      }
    },
  };
}
