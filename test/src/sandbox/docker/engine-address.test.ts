import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256 } from '../../../../src/hash.js';
import { engineAddress } from '../../../../src/sandbox/docker/engine-address.js';
import { temporaryFolder } from '../../../helpers/temporary-folder.js';

const socket = { socketPath: '/var/run/docker.sock' };

it.each([
  [{}, socket],
  [
    { DOCKER_HOST: 'unix:///run/user/1000/docker.sock' },
    { socketPath: '/run/user/1000/docker.sock' },
  ],
  [{ DOCKER_HOST: 'tcp://10.0.0.1:2375' }, { protocol: 'http', host: '10.0.0.1', port: 2375 }],
  [{ DOCKER_HOST: 'tcp://engine' }, { protocol: 'http', host: 'engine', port: 2375 }],
  [{ DOCKER_HOST: 'tcp://[::1]:99/' }, { protocol: 'http', host: '::1', port: 99 }],
  [{ DOCKER_HOST: 'https://engine' }, { protocol: 'https', host: 'engine', port: 2376 }],
  [{ DOCKER_CONTEXT: 'default' }, socket],
])('%j is %j', (variables, address) => {
  expect(engineAddress({ HOME: '/nowhere', ...variables })).toEqual(address);
});

it('asks for TLS with the certificates of DOCKER_CERT_PATH, and names those that are missing', async () => {
  const folder = await temporaryFolder({ 'ca.pem': 'A', 'cert.pem': 'B', 'key.pem': 'C' });
  const variables = { DOCKER_HOST: 'tcp://engine', DOCKER_TLS_VERIFY: '1' };
  expect(engineAddress({ ...variables, DOCKER_CERT_PATH: folder })).toEqual({
    protocol: 'https',
    host: 'engine',
    port: 2376,
    ca: Buffer.from('A'),
    cert: Buffer.from('B'),
    key: Buffer.from('C'),
  });
  const half = await temporaryFolder({ 'ca.pem': 'A' });
  expect(() => engineAddress({ ...variables, DOCKER_CERT_PATH: half })).toThrow(
    `${half} has no cert.pem, no key.pem`,
  );
});

it.each([
  ['ssh://user@host', 'ssh -L'],
  ['nonsense', 'unix:///path'],
])('says what to write instead of %s', (text, hint) => {
  expect(() => engineAddress({ DOCKER_HOST: text })).toThrow(hint);
});

it('follows the context that the user chose, and says when it is gone', async () => {
  const folder = await temporaryFolder({ 'config.json': '{"currentContext":"remote"}' });
  expect(() => engineAddress({ DOCKER_CONFIG: folder })).toThrow('docker context ls');
  const meta = join(folder, 'contexts', 'meta', sha256('remote'));
  mkdirSync(meta, { recursive: true });
  writeFileSync(
    join(meta, 'meta.json'),
    '{"Name":"remote","Endpoints":{"docker":{"Host":"tcp://far:2375"}}}',
  );
  expect(engineAddress({ DOCKER_CONFIG: folder })).toMatchObject({ host: 'far', port: 2375 });
  // Docker's own order: the address wins over the context.
  expect(engineAddress({ DOCKER_CONFIG: folder, DOCKER_HOST: 'unix:///x' })).toEqual({
    socketPath: '/x',
  });
});
