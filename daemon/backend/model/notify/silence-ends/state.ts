import { isActive } from '../../../../../shared/domain/silencing.ts';
import type { HandlerSet } from '../../../../../shared/schemas/notification-log.ts';
import { CountedMap, MARK_BYTES, type Footprint } from '../../registry/footprint.ts';
import type { Namespace } from '../../registry/namespace.ts';

/**
 * The resolution of a problem that resolved while it was silenced. Handlers that were notified of the problem are
 * notified of the resolution when nothing silences it any more. The event itself is only in the store.
 */
export class PendingResolution {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** The handlers that must be notified of the resolution. */
  readonly handlers: HandlerSet;
  /** The ids of the silences that covered the event when it resolved. */
  readonly silencedBy: readonly string[];

  constructor(
    namespace: string,
    client: string,
    check: string,
    details: { readonly handlers: HandlerSet; readonly silencedBy: readonly string[] },
  ) {
    this.namespace = namespace;
    this.client = client;
    this.check = check;
    this.handlers = details.handlers;
    this.silencedBy = details.silencedBy;
  }
}

/** The pending resolutions of a namespace, at most one for each client and check. */
class PendingResolutions {
  readonly #byClient: Map<string, Map<string, PendingResolution>>;
  #size = 0;

  constructor(footprint: Footprint) {
    this.#byClient = new CountedMap(footprint, MARK_BYTES);
  }

  get size(): number {
    return this.#size;
  }

  get(client: string, check: string): PendingResolution | undefined {
    return this.#byClient.get(client)?.get(check);
  }

  of(client: string): Iterable<PendingResolution> {
    return this.#byClient.get(client)?.values() ?? [];
  }

  *all(): Generator<PendingResolution, void, undefined> {
    for (const own of this.#byClient.values()) yield* own.values();
  }

  put(pending: PendingResolution): void {
    const { client, check } = pending;
    const own = this.#byClient.get(client);
    if (own?.has(check) !== true) this.#size++;
    if (own === undefined) this.#byClient.set(client, new Map([[check, pending]]));
    else own.set(check, pending);
  }

  remove({ client, check }: Pick<PendingResolution, 'client' | 'check'>): void {
    const own = this.#byClient.get(client);
    if (own?.delete(check) === true) this.#size--;
    if (own?.size === 0) this.#byClient.delete(client);
  }
}

const openPending = (footprint: Footprint): PendingResolutions => new PendingResolutions(footprint);

export function pendingResolutionsOf(namespace: Namespace): PendingResolutions {
  return namespace.state(openPending);
}

/**
 * True if a pending resolution is still silenced: by a silence that covered the event when it resolved, or by any
 * silence that covers the check now.
 */
export function isStillSilenced(namespace: Namespace, pending: PendingResolution, nowMs: number): boolean {
  return (
    pending.silencedBy.some((id) => isInForce(namespace, id, nowMs)) ||
    namespace.check(pending.client, pending.check)?.isSilenced(nowMs) === true
  );
}

/**
 * Returns the ids of the active silences that suppress a pending resolution: first those that covered the event when it
 * resolved, then others that cover the check now.
 */
export function silencesOfPending(namespace: Namespace, pending: PendingResolution, nowMs: number): readonly string[] {
  const before = pending.silencedBy.filter((id) => isInForce(namespace, id, nowMs));
  return [...new Set([...before, ...(namespace.check(pending.client, pending.check)?.silencedBy(nowMs) ?? [])])];
}

function isInForce(namespace: Namespace, id: string, nowMs: number): boolean {
  const entry = namespace.silenced.get(id);
  return entry !== undefined && isActive(entry, nowMs);
}
