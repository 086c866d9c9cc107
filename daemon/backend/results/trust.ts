import { MonError } from '../../../shared/errors.ts';
import type { Namespace } from '../registry/namespace.ts';

/**
 * Why a result of a client is not taken.
 *
 * - `certificate`: it comes from an agent whose certificate is for another one, and the client is an agent itself
 * - `signature`: the client has shown one, and this is not it (completion 1.10)
 * - `banned`: it was deleted with `invalidate`, and may not come back before its time (completion 1.6)
 * - `quarantined`: it was deleted a short while ago, and this comes from before that
 * - `quota`: it would be one proxy client more than its reporter may make
 * - `limit`: it would be one entity more than there may be
 */
export type Distrust = 'certificate' | 'signature' | 'banned' | 'quarantined' | 'quota' | 'limit';

/**
 * Whether agents may report for a client. A deleted one stays deleted through the results that were under way or waited
 * in spools: for a while only a keepalive, which is never spooled, shows that it is there again. So whoever is known is
 * neither banned nor in quarantine.
 */
export function distrustOf(
  namespace: Namespace,
  client: string,
  signature: string,
  nowMs: number,
): Distrust | undefined {
  const known = namespace.clients.get(client);
  if (known !== undefined) return isSigned(known.signature, signature) ? undefined : 'signature';
  if (isBanned(namespace, client, nowMs)) return 'banned';
  return isQuarantined(namespace, client, nowMs) ? 'quarantined' : undefined;
}

/**
 * Lets a client say that it is there.
 *
 * @param madeAt when it said so, epoch seconds; undefined: just now
 * @throws MonError `forbidden` with a wrong signature or a ban, `conflict` when it was deleted since then
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
    throw new MonError('conflict', `${name} was deleted after it sent this keepalive`);
  }
}

export function isBanned({ invalidated }: Namespace, client: string, nowMs: number): boolean {
  const untilMs = invalidated.get(client);
  return untilMs !== undefined && untilMs > nowMs;
}

export function banned(client: string): MonError {
  return new MonError('forbidden', `${client} was deleted with invalidate: post it to /clients to let it in again`);
}

function isQuarantined({ tombstones }: Namespace, client: string, nowMs: number): boolean {
  const tombstone = tombstones.get(client);
  return tombstone !== undefined && tombstone.untilMs > nowMs;
}

/** Whoever never showed a signature needs none. */
export function isSigned(known: string, given: string): boolean {
  return known === '' || known === given;
}
