import { counted } from '../../src/text/counted.js';
import { costText, etaText, rateText, tokensText } from './progress-text.js';
import type { RunProgress } from './reporter.js';

/** Cells of the bar itself, the widest that fits first; 0 is no bar. */
const barSizes = [20, 10, 0];
/** What a narrow terminal goes without, in this order. */
const dispensable = [
  'tokens',
  'rate',
  'running',
  'discarded',
  'cost',
  'retries',
  'failed',
] as const;

/**
 * The bar and what stands behind it, on one line of at most `columns` cells: a line that is cut loses its end, which is
 * the time that is left.
 */
export function barText(progress: RunProgress, columns: number): string {
  const parts = partsOf(progress);
  const left = new Set<string>(parts.map(([name]) => name));
  let line = '';
  for (const name of [null, ...dispensable]) {
    if (name !== null) {
      left.delete(name);
    }
    const text = parts
      .filter(([part]) => left.has(part))
      .map(([, words]) => words)
      .join(' | ');
    for (const size of name === null ? barSizes.slice(0, 2) : barSizes.slice(1)) {
      line = `${bar(progress, size)}${text}`;
      if (line.length < columns) {
        return line;
      }
    }
  }
  return line.slice(0, Math.max(0, columns - 1));
}

function partsOf(progress: RunProgress): readonly (readonly [name: string, words: string])[] {
  const { total, planning, done, failed, discarded, running, costUsd } = progress;
  const percent = Math.floor(100 * shareOf(progress));
  return [
    ['done', `${percent}% ${done}/${total}${planning ? '+' : ''}`],
    ['running', `${running} running`],
    ...(failed > 0 ? ([['failed', `${failed} failed`]] as const) : []),
    ...(discarded > 0 ? ([['discarded', `${discarded} discarded`]] as const) : []),
    ...(progress.retries > 0
      ? ([['retries', counted(progress.retries, 'retry', { plural: 'retries' })]] as const)
      : []),
    ['tokens', tokensText(progress.promptTokens + progress.completionTokens)],
    ...(costUsd === null ? [] : ([['cost', costText(costUsd)]] as const)),
    ['rate', rateText(progress)],
    ...(done < total || planning ? ([['left', `ETA ${etaText(progress)}`]] as const) : []),
  ];
}

function bar(progress: RunProgress, size: number): string {
  const full = Math.floor(size * shareOf(progress));
  return size === 0 ? '' : `${'█'.repeat(full)}${'░'.repeat(size - full)} `;
}

function shareOf({ done, total }: RunProgress): number {
  return total === 0 ? 0 : Math.min(1, done / total);
}
