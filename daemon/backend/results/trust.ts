import { MonError } from '../../../shared/errors.ts';
import type { Namespace } from '../model/registry/namespace.ts';

/**
 * The reason why a result of a client is rejected.
 *
 * - `certificate`: it comes from an agent with a certificate for another client, and the client is an agent itself
 * - `signature`: the client has a signature, and this is a different one (completion 1.10)
 * - `banned`: the client was deleted with `invalidate`, and the ban has not expired (completion 1.6)
 * - `quarantined`: the client was deleted a short while ago, and the result is older than that
 * - `quota`: its proxy client would exceed the quota of the reporter
 * - `limit`: its entity would exceed the entity limit
 */
export type Distrust = 'certificate' | 'signature' | 'invalidated' | 'quarantined' | 'proxy_quota' | 'entity_limit';

/**
 * Returns the reason why agents may not report for a client now. Late results, also from spools, do not create a
 * deleted client again. For a while only a keepalive, which is never spooled, can. So a known client is neither banned
 * nor in quarantine.
 */
export function distrustOf(
  namespace: Namespace,
  client: string,
  signature: string,
  nowMs: number,
): Distrust | undefined {
  const entry = namespace.clients.get(client);
  if (entry !== undefined) return isSigned(entry.signature, signature) ? undefined : 'signature';
  if (isBanned(namespace, client, nowMs)) return 'invalidated';
  return isQuarantined(namespace, client, nowMs) ? 'quarantined' : undefined;
}

/**
 * Checks whether a client may send a keepalive.
 *
 * @param madeAt time of the keepalive, epoch seconds; undefined: just now
 * @throws MonError `forbidden` with a wrong signature or a ban, `conflict` if it was deleted since then
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
  if (!isSigned(namespace.clients.get(name)?.signature ?? '', signature)) {
    throw new MonError('forbidden', `invalid client signature of ${name}`);
  }
  if (isBanned(namespace, name, nowMs)) throw banned(name);
  const deletedMs = namespace.tombstones.get(name)?.deletedMs ?? 0;
  if (isQuarantined(namespace, name, nowMs) && madeAt !== undefined && madeAt <= Math.floor(deletedMs / 1000)) {
    throw new MonError('conflict', `the client ${name} was deleted after it sent this keepalive`);
  }
}

export function isBanned({ invalidated }: Namespace, client: string, nowMs: number): boolean {
  const untilMs = invalidated.get(client);
  return untilMs !== undefined && untilMs > nowMs;
}

export function banned(client: string): MonError {
  return new MonError(
    'forbidden',
    `the client ${client} was deleted with invalidate: to allow the client again, create it with POST /clients`,
  );
}

function isQuarantined({ tombstones }: Namespace, client: string, nowMs: number): boolean {
  const tombstone = tombstones.get(client);
  return tombstone !== undefined && tombstone.untilMs > nowMs;
}

/** True if the signature matches; a client without a known signature needs none. */
export function isSigned(expected: string, actual: string): boolean {
  return expected === '' || expected === actual;
}
