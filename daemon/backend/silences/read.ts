import { expireAtOf, isExpired } from '../../../shared/domain/expiry.ts';
import { silencedView } from '../../../shared/domain/silencing.ts';
import type { SilencedDetail, SilencedEntry, SilencedUse } from '../../../shared/schemas/silenced.ts';
import type { SilencedRegistry } from './state.ts';

const UNUSED: SilencedUse = { suppressed: 0, last_suppressed: null };

/** An entry with what it kept back, and with its end as a moment. */
export function silencedDetail(
  registry: Pick<SilencedRegistry, 'use'>,
  entry: SilencedEntry,
  nowMs: number,
): SilencedDetail {
  return {
    ...silencedView(entry, nowMs),
    expire_at: expireAtOf(entry),
    ...(registry.use(entry.id) ?? UNUSED),
  };
}

/** Those that are not over, by id. */
export function livingEntries(entries: Iterable<SilencedEntry>, nowMs: number): SilencedEntry[] {
  const living = [...entries].filter((entry) => !isExpired(entry, nowMs));
  return living.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
