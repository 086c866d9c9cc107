import { MonError } from '../../../shared/errors.ts';
import type { Namespace } from '../registry/namespace.ts';

/**
 * Why a result of a client is rejected.
 *
 * - `certificate`: the certificate of the agent names another client, and this client is an agent itself
 * - `signature`: the client has another signature (completion 1.10)
 * - `invalidated`: it was deleted with `invalidate`, and the time of that is not over (completion 1.6)
 * - `quarantined`: it was deleted recently, and the result is older
 * - `proxy_quota`: its reporter already has the maximum number of proxy clients
 * - `entity_limit`: the maximum number of entities exists already
 */
export type Distrust = 'certificate' | 'signature' | 'invalidated' | 'quarantined' | 'proxy_quota' | 'entity_limit';

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
  if (isBanned(namespace, client, nowMs)) return 'invalidated';
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
  return new MonError('forbidden', `${client} was deleted with invalidate: post it to /clients to allow it again`);
}

function isQuarantined({ tombstones }: Namespace, client: string, nowMs: number): boolean {
  const tombstone = tombstones.get(client);
  return tombstone !== undefined && tombstone.untilMs > nowMs;
}

/** Whoever never showed a signature needs none. */
export function isSigned(known: string, given: string): boolean {
  return known === '' || known === given;
}
