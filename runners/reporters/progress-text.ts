import { counted } from '../../src/text/counted.js';
import type { RunProgress } from './reporter.js';

/** `1 h 05 min`, `2 min 10 s`, `7 s`. */
export function durationText(ms: number): string {
  const total = Math.max(0, Math.round(ms / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  const seconds = total % 60;
  const two = (value: number) => String(value).padStart(2, '0');
  if (hours > 0) {
    return `${hours} h ${two(minutes)} min`;
  }
  return minutes > 0 ? `${minutes} min ${two(seconds)} s` : `${seconds} s`;
}

/** `950`, `12.3k`, `4.56M`. */
export function countText(value: number): string {
  if (value < 1000) {
    return String(value);
  }
  if (value < 999_500) {
    return `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`;
  }
  return `${(value / 1_000_000).toFixed(2)}M`;
}

/** `12.3k tokens`. */
export function tokensText(tokens: number): string {
  return counted(tokens, 'token', { shown: countText });
}

/** `$1.23`, with more digits for small sums; `unknown` for null. */
export function costText(usd: number | null): string {
  return usd === null ? 'unknown' : `$${usd.toFixed(usd < 0.1 && usd > 0 ? 4 : 2)}`;
}

/** Rollouts per minute in this start of the run. */
export function rateText({ finishedNow, elapsedMs }: RunProgress): string {
  const perMinute = elapsedMs > 0 ? finishedNow / (elapsedMs / 60_000) : 0;
  return `${perMinute >= 10 ? Math.round(perMinute) : perMinute.toFixed(1)}/min`;
}

/** Time that the rest will take at the pace of this start; `?` while that is unknown. */
export function etaText({ total, planning, done, finishedNow, elapsedMs }: RunProgress): string {
  if (planning || finishedNow === 0) {
    return '?';
  }
  return durationText(((total - done) * elapsedMs) / finishedNow);
}

/** Everything about a run's progress, on one line. */
export function progressLine(progress: RunProgress): string {
  const { total, planning, done, failed, discarded, running, retries, costUsd } = progress;
  return [
    `${done}/${total}${planning ? '+' : ''} done`,
    `${running} running`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(discarded > 0 ? [`${discarded} discarded`] : []),
    ...(retries > 0 ? [counted(retries, 'retry', { plural: 'retries' })] : []),
    tokensText(progress.promptTokens + progress.completionTokens),
    ...(costUsd === null ? [] : [costText(costUsd)]),
    rateText(progress),
    ...(done < total || planning ? [`ETA ${etaText(progress)}`] : []),
  ].join(', ');
}
