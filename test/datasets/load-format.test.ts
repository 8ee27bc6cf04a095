import { expect, it } from 'vitest';
import { formatNames, loadFormat } from '../../datasets/load-format.js';

it('loads each format by its name', async () => {
  expect(formatNames()).toEqual(expect.arrayContaining(['hermes', 'records']));
  for (const name of formatNames()) {
    expect(await loadFormat(name)).toMatchObject({ name });
  }
});

it('refuses an unknown format and names the nearest, or all of them', async () => {
  await expect(loadFormat('hermse')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('did you mean "hermes"? There are hermes'),
  });
  await expect(loadFormat('constructor')).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('hermes, records'),
  });
});
