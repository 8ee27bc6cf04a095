import { expect, it } from 'vitest';
import { workerEnvironment } from '../../../runners/batch/worker-environment.js';

it('workers see where programs are, and no key, token or password', () => {
  const environment = {
    PATH: '/usr/bin',
    LANG: 'C.UTF-8',
    OPENAI_API_KEY: 'sk-secret',
    DATABASE_URL: 'postgres://u:p@h/d',
    TALARIA_DEBUG: '1',
  };
  expect(workerEnvironment(environment)).toEqual({ PATH: '/usr/bin', LANG: 'C.UTF-8' });
});
