import { noticeText } from './notice-text.js';
import type { Reporter } from './reporter.js';

/** Nothing but warnings and errors. */
export function quietReporter(write: (text: string) => void): Reporter {
  return {
    onNotice(notice) {
      if (notice.level !== 'info') {
        write(noticeText(notice));
      }
    },
  };
}
