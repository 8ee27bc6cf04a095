import { MultiBar, type SingleBar } from 'cli-progress';
import { counted } from '../../src/text/counted.js';
import { costText, etaText, rateText, tokensText } from './progress-text.js';
import type { Reporter, RunProgress } from './reporter.js';

const format =
  '{bar} {percentage}% {value}/{total}{more} | {running} running | {failed} failed | {discarded} discarded | ' +
  '{tokens}{cost} | {rate} | ETA {left}';

/** For terminals: a bar that stays on the last line, with notices above it. `stream` is stderr. */
export function barReporter(stream: NodeJS.WriteStream): Reporter {
  const bars = new MultiBar({
    stream,
    format,
    barsize: 20,
    fps: 5,
    hideCursor: true,
    // Its own signal handlers would leave before the batch has stored anything.
    gracefulExit: false,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    // The pace is ours: its own forgets that a resumed run starts with many done.
    etaBuffer: 1,
  });
  let bar: SingleBar | null = null;
  let ended = false;
  return {
    onStart(run) {
      stream.write(
        `${run.resumed ? 'Resuming' : 'Starting'} ${run.name} in ${run.directory}: ${counted(run.concurrency, 'rollout')} at once\n`,
      );
    },
    onProgress(progress) {
      if (bar === null) {
        bar = bars.create(progress.total, progress.done, fieldsOf(progress));
      } else {
        bar.setTotal(progress.total);
        bar.update(progress.done, fieldsOf(progress));
      }
    },
    onNotice({ level, message }) {
      const text = `${level === 'info' ? '' : `${level}: `}${message}\n`;
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

function fieldsOf(progress: RunProgress) {
  return {
    more: progress.planning ? '+' : '',
    running: progress.running,
    failed: progress.failed,
    discarded: progress.discarded,
    tokens: tokensText(progress.promptTokens + progress.completionTokens),
    cost: progress.costUsd === null ? '' : ` | ${costText(progress.costUsd)}`,
    rate: rateText(progress),
    left: etaText(progress),
  };
}
