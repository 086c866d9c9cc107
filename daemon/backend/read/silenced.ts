import { isExpired } from '../../../shared/domain/expiry.ts';
import { silencedView } from '../../../shared/domain/silencing.ts';
import type { SilencedEntry, SilencedView } from '../../../shared/schemas/silenced.ts';

/** Living entries as the API shows them, by id. */
export function silencedViews(entries: Iterable<SilencedEntry>, nowMs: number): SilencedView[] {
  const living = [...entries].filter((entry) => !isExpired(entry, nowMs));
  living.sort((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  return living.map((entry) => silencedView(entry, nowMs));
}
