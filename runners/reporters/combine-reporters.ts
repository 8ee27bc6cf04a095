import type { EventType } from '../../src/rollout/event.js';
import type { Reporter } from './reporter.js';

/** Several reporters as one, called in order. */
export function combineReporters(reporters: readonly Reporter[]): Reporter {
  const eventTypes = eventTypesOf(reporters);
  return {
    ...(eventTypes === null ? {} : { eventTypes }),
    onStart: (run) => reporters.forEach((reporter) => void reporter.onStart?.(run)),
    onEvents: (events) => reporters.forEach((reporter) => void reporter.onEvents?.(events)),
    onProgress: (progress) => reporters.forEach((reporter) => void reporter.onProgress?.(progress)),
    onNotice: (notice) => reporters.forEach((reporter) => void reporter.onNotice?.(notice)),
    onEnd: () => reporters.forEach((reporter) => void reporter.onEnd?.()),
  };
}

/** What any of them wants; null for everything. */
export function eventTypesOf(reporters: readonly Reporter[]): readonly EventType[] | null {
  const listeners = reporters.filter(({ onEvents }) => onEvents !== undefined);
  if (listeners.some(({ eventTypes }) => eventTypes === undefined)) {
    return null;
  }
  return [...new Set(listeners.flatMap(({ eventTypes }) => eventTypes ?? []))];
}
