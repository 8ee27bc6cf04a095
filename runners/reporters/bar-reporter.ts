import { MultiBar, type SingleBar } from 'cli-progress';
import { counted } from '../../src/text/counted.js';
import { safeForTerminal } from '../../src/text/safe-for-terminal.js';
import { barText } from './bar-text.js';
import { noticeText } from './notice-text.js';
import type { Reporter, RunProgress } from './reporter.js';

/** For terminals: a bar that stays on the last line, with notices above it. `stream` is stderr. */
export function barReporter(stream: NodeJS.WriteStream): Reporter {
  const bars = new MultiBar({
    stream,
    format: (_options, _params, payload: { readonly progress: RunProgress }) =>
      barText(payload.progress, stream.columns ?? 80),
    fps: 5,
    hideCursor: true,
    // Its own signal handlers would leave before the batch has stored anything.
    gracefulExit: false,
  });
  let bar: SingleBar | null = null;
  let ended = false;
  return {
    onStart(run) {
      stream.write(
        `${run.resumed ? 'Resuming' : 'Starting'} ${safeForTerminal(`${run.name} in ${run.directory}`)}: ${counted(run.concurrency, 'rollout')} at once\n`,
      );
    },
    onProgress(progress) {
      if (bar === null) {
        bar = bars.create(progress.total, progress.done, { progress });
      } else {
        bar.setTotal(progress.total);
        bar.update(progress.done, { progress });
      }
    },
    onNotice(notice) {
      const text = noticeText(notice);
      if (bar === null || ended) {
        stream.write(text);
      } else {
        bars.log(text);
        // Shown at once: `stop` would drop what still waits.
        bars.update();
      }
    },
    onEnd() {
      ended = true;
      if (bar !== null) {
        bars.stop();
      }
    },
  };
}
