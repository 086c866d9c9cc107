import { isExpired } from '../../../shared/domain/expiry.ts';
import { silencedView } from '../../../shared/domain/silencing.ts';
import type { SilencedDetail, SilencedEntry, SilencedUse, SilencedView } from '../../../shared/schemas/silenced.ts';
import type { SilencedRegistry } from '../registry/silenced.ts';

/** Living entries as the API shows them, by id. */
export function silencedViews(entries: Iterable<SilencedEntry>, nowMs: number): SilencedView[] {
  return livingEntries(entries, nowMs).map((entry) => silencedView(entry, nowMs));
}

const UNUSED: SilencedUse = { suppressed: 0, last_suppressed: null };

/** The same with what each of them kept back, and with its end as a moment. */
export function silencedDetails(registry: SilencedRegistry, nowMs: number): SilencedDetail[] {
  return livingEntries(registry.all(), nowMs).map((entry) => silencedDetail(registry, entry, nowMs));
}

export function silencedDetail(
  registry: Pick<SilencedRegistry, 'use'>,
  entry: SilencedEntry,
  nowMs: number,
): SilencedDetail {
  return {
    ...silencedView(entry, nowMs),
    expire_at: entry.expire_at === null ? null : Math.ceil(entry.expire_at / 1000),
    ...(registry.use(entry.id) ?? UNUSED),
  };
}

function livingEntries(entries: Iterable<SilencedEntry>, nowMs: number): SilencedEntry[] {
  const living = [...entries].filter((entry) => !isExpired(entry, nowMs));
  return living.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
}
