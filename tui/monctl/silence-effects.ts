import type { ApiClient } from '../../shared/client/api-client.ts';
import { eventRow } from '../../shared/domain/event-row.ts';
import { WORST_FIRST, type Severity } from '../../shared/domain/severity.ts';
import { MonError } from '../../shared/errors.ts';
import type { SilencedDetail, SilencedView, SubmittedMonSilenced } from '../../shared/schemas/silenced.ts';
import { previewSilence } from '../model/silence-preview.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
import { NO_SELECTOR_THERE } from '../words/silence-text.ts';
import type { Call } from './command.ts';
import { counted } from './counted-noun.ts';
import { requireExisting } from './require-existing.ts';
import { eventCounts } from './severity-text.ts';

/** Returns the effects of creating a silence now. */
export async function silenceEffects(
  { api, nowMs }: Call,
  id: string,
  entry: SubmittedMonSilenced,
): Promise<readonly string[]> {
  const { selector } = entry;
  const present = await api().silencedDetail(id);
  if (present?.recurrence !== undefined && !entry.recurrence) {
    const when = recurrenceText(present.recurrence);
    throw new MonError(
      'conflict',
      `the recurring silence ${id} exists already (${when}) and is not replaced: delete it first, or silence the same events with --selector`,
    );
  }
  if (typeof selector === 'string') return await selectorEffects(api(), id, selector, present);
  const events = await api().events();
  const subscriptions = new Map(events.map(({ client }) => [client.name, client.subscriptions]));
  const rows = events.map((event) => ({ row: eventRow(event) }));
  // Computed as if the silence had begun: the current matches estimate those of a future window.
  const { total, bySeverity, alreadySilenced } = previewSilence(
    [{ ...entry, begin: null, recurrence: null }],
    rows,
    (client) => subscriptions.get(client) ?? [],
    nowMs,
  );
  return effectsOf(id, present, { ...bySeverity, total, silenced: alreadySilenced });
}

/** Asks the backend for the matches of a selector, because only the backend knows the attributes. */
async function selectorEffects(
  api: ApiClient,
  id: string,
  selector: string,
  present: SilencedView | undefined,
): Promise<readonly string[]> {
  const { events } = await api.silencePreview({ entries: [{ selector }] });
  if (events === undefined) throw new MonError('invalid', NO_SELECTOR_THERE);
  return effectsOf(id, present, events);
}

function effectsOf(
  id: string,
  present: SilencedView | undefined,
  events: Readonly<Record<Severity | 'total' | 'silenced', number>>,
): readonly string[] {
  const counts = WORST_FIRST.filter((severity) => events[severity] > 0)
    .map((severity) => `${String(events[severity])} ${severity}`)
    .join(', ');
  return [
    ...(present === undefined ? [] : [`the silence ${id}${madeBy(present)} would be replaced`]),
    `it matches ${counted(events.total, 'events')}${counts === '' ? '' : ` now: ${counts}`}`,
    ...(events.silenced === 0 ? [] : [`${String(events.silenced)} of them already silenced`]),
  ];
}

/**
 * Returns the effects of ending a silence now.
 *
 * @throws MonError `not_found`
 */
export async function clearEffects({ api }: Call, id: string): Promise<readonly string[]> {
  const [entry, events] = await Promise.all([requireSilence(api(), id), api().events()]);
  const matched = events.filter((event) => event.silenced_by.includes(id));
  const affectedEvents = matched.filter((event) => event.silenced_by.length === 1);
  return [
    `the silence ${id}${madeBy(entry)} would end`,
    `${eventCounts(affectedEvents)} would no longer be silenced`,
    ...(affectedEvents.length === matched.length
      ? []
      : [`${counted(matched.length - affectedEvents.length, 'events')} would stay silenced by other silences`]),
  ];
}

function madeBy({ creator, reason }: SilencedView): string {
  return `${creator === null ? '' : ` of ${creator}`}${reason === null ? '' : ` (${reason})`}`;
}

/**
 * Returns the silence, which must exist.
 *
 * @throws MonError `not_found`
 */
export function requireSilence(api: ApiClient, id: string): Promise<SilencedDetail> {
  return requireExisting(api.silencedDetail(id), missingEntry(id));
}

export function missingEntry(id: string): string {
  return `there is no silence ${id}: see monctl silenced list`;
}
