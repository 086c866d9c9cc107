import { parseExpiry, expireAtOf } from '../../shared/domain/expiry.ts';
import type { AuditRecord } from '../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { Recurrence } from '../../shared/schemas/recurrence.ts';

/** Milliseconds for which a silence is still shown after its end. */
export const ENDED_SHOWN_MS = 24 * 60 * 60_000;

/** Maximum number of audit records that are loaded to find ended silences. */
export const ENDED_RECORDS_MAX = 1000;

/** Maximum number of ended silences that are stored. */
const ENDED_STORED_MAX = 500;

/** A silence that was cleared or has expired. */
export interface EndedSilence {
  readonly entry: SilencedRow;
  /** Epoch milliseconds when the silence ended. */
  readonly endedAtMs: number;
}

/** The silences that ended recently, by id. Of several ended silences with the same id, only the last one is stored. */
export class SilenceHistory {
  readonly #ended = new Map<string, EndedSilence>();

  get(id: string, nowMs: number): EndedSilence | undefined {
    const ended = this.#ended.get(id);
    return ended !== undefined && nowMs - ended.endedAtMs <= ENDED_SHOWN_MS ? ended : undefined;
  }

  ids(): Iterable<string> {
    return this.#ended.keys();
  }

  recordEnd(entry: SilencedRow, atMs: number): void {
    const existing = this.#ended.get(entry.id);
    if (existing !== undefined && existing.endedAtMs >= atMs) return;
    // The entry is moved to the end of the map, so that the first entry of the map is the oldest.
    this.#ended.delete(entry.id);
    this.#ended.set(entry.id, { entry, endedAtMs: atMs });
    if (this.#ended.size <= ENDED_STORED_MAX) return;
    const [oldest] = this.#ended.keys();
    if (oldest !== undefined) this.#ended.delete(oldest);
  }

  /**
   * Adds the silences of one namespace that ended according to the audit trail. The audit trail contains all
   * namespaces.
   *
   * @param records audit records, the newest first
   * @param namespace the namespace of the silences. Default: `default`
   */
  load(records: readonly AuditRecord[], namespace = DEFAULT_NAMESPACE): void {
    const prefix = namespace === DEFAULT_NAMESPACE ? '' : `${namespace}/`;
    for (const { action, target, before, at } of records.toReversed()) {
      const entry = action === 'silence.clear' || action === 'silence.expire' ? recordedEntry(before) : undefined;
      if (entry !== undefined && target === prefix + entry.id) this.recordEnd(entry, at);
    }
  }
}

/**
 * Returns the silence in an audit record; `undefined` if the record contains no valid silence, for example because it
 * was truncated.
 */
function recordedEntry(before: unknown): SilencedRow | undefined {
  if (typeof before !== 'object' || before === null) return undefined;
  const {
    id,
    subscription,
    check,
    selector,
    reason,
    creator,
    begin,
    expire_on_resolve,
    timestamp,
    expire_at,
    recurrence,
  } = before as Readonly<Record<string, unknown>>;
  const again = recordedRecurrence(recurrence);
  if (typeof id !== 'string') return undefined;
  const expireAtMs = parseExpiry(numberOrNull(expire_at));
  return {
    id,
    subscription: textOrNull(subscription),
    check: textOrNull(check),
    reason: textOrNull(reason),
    creator: textOrNull(creator),
    begin: numberOrNull(begin),
    expire_on_resolve: expire_on_resolve === true,
    timestamp: numberOrNull(timestamp) ?? 0,
    expire_at: expireAtOf({ expireAtMs }),
    ...(typeof selector === 'string' && { selector }),
    ...(again !== undefined && { recurrence: again }),
  };
}

function recordedRecurrence(value: unknown): Recurrence | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { schedule, zone, duration, first_day: first, last_day: last } = value as Readonly<Record<string, unknown>>;
  if (typeof schedule !== 'string' || typeof zone !== 'string' || typeof duration !== 'number') return undefined;
  return {
    schedule,
    zone,
    duration,
    ...(typeof first === 'string' && { first_day: first }),
    ...(typeof last === 'string' && { last_day: last }),
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
