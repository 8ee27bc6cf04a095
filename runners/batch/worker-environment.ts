/** Variables that a worker may see: what locates programs and sets language and time zone. Everything else, keys above all, stays out. */
const allowed = new Set([
  'PATH',
  'HOME',
  'TMPDIR',
  'LANG',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'DOCKER_HOST',
  'DOCKER_TLS_VERIFY',
  'DOCKER_CERT_PATH',
  'DOCKER_CONTEXT',
  'DOCKER_CONFIG',
]);

/** The environment of worker threads: an allow-list, since a list of secrets is never complete. */
export function workerEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && allowed.has(name)) {
      kept[name] = value;
    }
  }
  return kept;
}
