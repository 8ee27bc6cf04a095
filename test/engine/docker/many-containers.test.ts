import { expect, it } from 'vitest';
import { docker } from '../../../src/sandbox/providers/docker.js';
import { dockerClient, testImages } from '../../helpers/docker-images.js';
import { output, specOf } from '../../src/sandbox/sandbox-under-test.js';

it('200 containers that are asked for at once all start, answer and are removed', async () => {
  const spec = specOf({ image: testImages.busybox });
  const answers = await Promise.all(
    Array.from({ length: 200 }, async (_, index) => {
      const sandbox = await docker.create(spec, new AbortController().signal);
      const answer = await output(sandbox, `echo ${index}`);
      await sandbox.close();
      return answer;
    }),
  );
  expect(answers).toEqual(Array.from({ length: 200 }, (_, index) => `${index}\n`));
  expect(dockerClient('ps', '--all', '--quiet', '--filter', 'label=talaria.run=test')).toBe('');
}, 300_000);
