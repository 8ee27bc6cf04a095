/**
 * Whether a failure has its cause outside of the rollout, where somebody can mend it between two starts: the key, the
 * account, the address, the certificate, the largest request that a proxy takes. Trying again at once is useless (`retryable` says so), a later start may.
 */
export function isMendable(errorClass: string): boolean {
  return mendable.has(errorClass);
}

/** `unknown` is, among others, what a wrong address answers. */
const mendable: ReadonlySet<string> = new Set([
  'auth',
  'billing',
  'model_not_found',
  'connection',
  'payload_too_large',
  'unknown',
]);
