import { MonError } from '../../../shared/errors.ts';
import type { Namespace } from '../model/registry/namespace.ts';

/**
 * The reason why a result of a client is rejected.
 *
 * - `certificate`: the agent that reported it has a certificate for another client, and the client of the result is an
 *   agent or the backend
 * - `signature`: the client has a signature, and the result has a different one (completion 1.10)
 * - `invalidated`: the client was deleted with `invalidate`, and the ban has not expired (completion 1.6)
 * - `quarantined`: the client was deleted recently, and results must not create it again yet
 * - `proxy_quota`: the client is new, and the reporter has reached its quota of proxy clients
 * - `entity_limit`: the client is new and would exceed the entity limit
 */
export type DistrustReason =
  'certificate' | 'signature' | 'invalidated' | 'quarantined' | 'proxy_quota' | 'entity_limit';

/**
 * Returns the reason why results of a client are rejected now; undefined if they are accepted. A late result, for
 * example from a spool, must not create a deleted client again. For a while only a keepalive can create it, because
 * keepalives are never spooled. If the client exists, only the signature is checked.
 */
export function distrustOf(
  namespace: Namespace,
  client: string,
  signature: string,
  nowMs: number,
): DistrustReason | undefined {
  const entry = namespace.clients.get(client);
  if (entry !== undefined) return isSignatureValid(entry.signature, signature) ? undefined : 'signature';
  if (isBannedClient(namespace, client, nowMs)) return 'invalidated';
  return isQuarantined(namespace, client, nowMs) ? 'quarantined' : undefined;
}

/**
 * Throws if a keepalive of this client is rejected.
 *
 * @param madeAt time when the keepalive was made, in epoch seconds; if undefined, it was made just now
 * @throws MonError `forbidden` if the signature is wrong or the client is banned, `conflict` if the client was deleted
 *   after the keepalive was made
 */
export function admitKeepalive(
  namespace: Namespace,
  {
    name,
    signature,
    madeAt,
  }: { readonly name: string; readonly signature: string; readonly madeAt: number | undefined },
  nowMs: number,
): void {
  if (!isSignatureValid(namespace.clients.get(name)?.signature ?? '', signature)) {
    throw new MonError('forbidden', `invalid client signature of ${name}`);
  }
  if (isBannedClient(namespace, name, nowMs)) throw bannedClientError(name);
  const deletedMs = namespace.tombstones.get(name)?.deletedMs ?? 0;
  if (isQuarantined(namespace, name, nowMs) && madeAt !== undefined && madeAt <= Math.floor(deletedMs / 1000)) {
    throw new MonError('conflict', `the client ${name} was deleted after it sent this keepalive`);
  }
}

export function isBannedClient({ invalidated }: Namespace, client: string, nowMs: number): boolean {
  const untilMs = invalidated.get(client);
  return untilMs !== undefined && untilMs > nowMs;
}

export function bannedClientError(client: string): MonError {
  return new MonError(
    'forbidden',
    `the client ${client} was deleted with invalidate: to allow the client again, create it with POST /clients`,
  );
}

function isQuarantined({ tombstones }: Namespace, client: string, nowMs: number): boolean {
  const tombstone = tombstones.get(client);
  return tombstone !== undefined && tombstone.untilMs > nowMs;
}

/**
 * True if the signature is correct. If the expected signature is an empty text, the client has none, and every
 * signature is correct.
 */
export function isSignatureValid(expected: string, actual: string): boolean {
  return expected === '' || expected === actual;
}
