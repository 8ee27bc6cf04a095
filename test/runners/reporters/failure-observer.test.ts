import { describe, expect, it } from 'vitest';
import { failureObserver } from '../../../runners/reporters/failure-observer.js';
import type { RunNotice } from '../../../runners/reporters/reporter.js';
import { rolloutEnd, toolStart } from './reporter-fixture.js';

function observed() {
  const notices: RunNotice[] = [];
  const reporter = failureObserver((notice) => notices.push(notice));
  return {
    notices,
    events: (...events: Parameters<typeof rolloutEnd>[]) =>
      reporter.onEvents?.(events.map((event) => rolloutEnd(...event))),
    reporter,
  };
}

describe('failures', () => {
  it('are told at once with class, message, last command and what to do', () => {
    const { notices, reporter } = observed();
    reporter.onEvents?.([
      toolStart('abcdef0123', 'make'),
      toolStart('abcdef0123', 'make test'),
      toolStart('other00000', 'ls'),
      rolloutEnd('abcdef0123', 'auth', '401 no such key'),
    ]);
    expect(notices.map((notice) => notice.message)).toEqual([
      [
        'rollout abcdef01#0 failed: auth: 401 no such key',
        '  last command: terminal make test',
        '  The server refused the key: check the variable that model.api_key_env names.',
      ].join('\n'),
    ]);
  });

  it('are told three times, and only counted from then on', () => {
    const { notices, events } = observed();
    for (const task of ['a', 'b', 'c', 'd', 'e']) {
      events([task, 'timeout']);
    }
    expect(notices).toHaveLength(3);
    expect(notices[2]?.message).toMatch(/Further failures are only counted/);
    expect(notices[1]?.message).not.toMatch(/Further/);
  });

  it('that are repeated are told once for each class, so that a run that waits does not look dead', () => {
    const { notices, reporter } = observed();
    for (const name of ['overloaded', 'overloaded', 'timeout', 'overloaded']) {
      reporter.onEvents?.([
        {
          task_key: 'a',
          sample: 0,
          attempt: 1,
          type: 'retry-start',
          class: name,
          call_attempt: 1,
          wait_ms: 2000,
          message: `no answer (${name})`,
        },
      ]);
    }
    expect(notices.map(({ message }) => message)).toEqual([
      'a model call failed and is repeated: overloaded: no answer (overloaded). Further ones are only counted.',
      'a model call failed and is repeated: timeout: no answer (timeout). Further ones are only counted.',
    ]);
  });

  it('do not include rollouts that went well', () => {
    const { notices, events } = observed();
    events(['a', null]);
    expect(notices).toEqual([]);
  });

  it('never bring escape sequences or line breaks of a model to the terminal', () => {
    const { notices, reporter } = observed();
    reporter.onEvents?.([
      toolStart('a', 'echo \u001b[2J\u001b]0;title\u0007\nrm x'),
      rolloutEnd('a', 'unknown', 'bad \u001b[31mred\nnext'),
    ]);
    expect(notices[0]?.message).toBe(
      'rollout a#0 failed: unknown: bad red next\n  last command: terminal echo rm x',
    );
  });
});
