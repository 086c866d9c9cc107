import { isActive } from '../../../../../shared/domain/silencing.ts';
import type { HandlerSet } from '../../../../../shared/schemas/notification-log.ts';
import { CountedMap, CLIENT_MARK_BYTES, type Footprint } from '../../registry/footprint.ts';
import type { Namespace } from '../../registry/namespace.ts';

/**
 * The resolution of a problem that resolved while it was silenced. When no silence covers it any more, it is sent to
 * the handlers that were notified of the problem. The event itself is only in the store.
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
    this.#byClient = new CountedMap(footprint, CLIENT_MARK_BYTES);
  }

  get size(): number {
    return this.#size;
  }

  get(client: string, check: string): PendingResolution | undefined {
    return this.#byClient.get(client)?.get(check);
  }

  ofClient(client: string): Iterable<PendingResolution> {
    return this.#byClient.get(client)?.values() ?? [];
  }

  *all(): Generator<PendingResolution, void, undefined> {
    for (const resolutionsByCheck of this.#byClient.values()) yield* resolutionsByCheck.values();
  }

  put(pending: PendingResolution): void {
    const { client, check } = pending;
    const resolutionsByCheck = this.#byClient.get(client);
    if (resolutionsByCheck?.has(check) !== true) this.#size++;
    if (resolutionsByCheck === undefined) this.#byClient.set(client, new Map([[check, pending]]));
    else resolutionsByCheck.set(check, pending);
  }

  remove({ client, check }: Pick<PendingResolution, 'client' | 'check'>): void {
    const resolutionsByCheck = this.#byClient.get(client);
    if (resolutionsByCheck?.delete(check) === true) this.#size--;
    if (resolutionsByCheck?.size === 0) this.#byClient.delete(client);
  }
}

const createPendingResolutions = (footprint: Footprint): PendingResolutions => new PendingResolutions(footprint);

export function pendingResolutionsOf(namespace: Namespace): PendingResolutions {
  return namespace.state(createPendingResolutions);
}

/**
 * True if an active silence still suppresses a pending resolution: a silence that covered the event when it resolved,
 * or a silence that covers the check now.
 */
export function isResolutionStillSilenced(namespace: Namespace, pending: PendingResolution, nowMs: number): boolean {
  return (
    pending.silencedBy.some((id) => isSilenceActive(namespace, id, nowMs)) ||
    namespace.check(pending.client, pending.check)?.isSilenced(nowMs) === true
  );
}

/**
 * Returns the ids of the active silences that suppress a pending resolution: first those that covered the event when it
 * resolved, then others that cover the check now.
 */
export function silenceIdsSuppressing(
  namespace: Namespace,
  pending: PendingResolution,
  nowMs: number,
): readonly string[] {
  const originalIds = pending.silencedBy.filter((id) => isSilenceActive(namespace, id, nowMs));
  return [...new Set([...originalIds, ...(namespace.check(pending.client, pending.check)?.silencedBy(nowMs) ?? [])])];
}

function isSilenceActive(namespace: Namespace, id: string, nowMs: number): boolean {
  const entry = namespace.silenced.get(id);
  return entry !== undefined && isActive(entry, nowMs);
}
