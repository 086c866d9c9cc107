import type { ApiClient } from '../../shared/client/api-client.ts';
import { eventRow } from '../../shared/domain/event-row.ts';
import { SEVERITIES_WORST_FIRST, type Severity } from '../../shared/domain/severity.ts';
import { silenceName } from '../../shared/domain/silence-name.ts';
import { MonError } from '../../shared/errors.ts';
import type {
  SilencedDetail,
  SilencedTargetAttributes,
  SilencedView,
  SubmittedMonSilenced,
} from '../../shared/schemas/silenced.ts';
import { previewSilence } from '../model/silence-preview.ts';
import { recurrenceText } from '../words/recurrence-text.ts';
import { SELECTOR_UNSUPPORTED } from '../words/silence-text.ts';
import type { CommandCall } from './command.ts';
import { countedNoun } from './counted-noun.ts';
import { requireExisting } from './require-existing.ts';
import { eventCounts } from './severity-text.ts';

/**
 * Returns the effects of creating a silence now, one sentence each.
 *
 * @throws MonError `conflict` when a recurring silence with this id exists, which a one-time silence cannot replace
 */
export async function silenceEffects(
  { api, nowMs }: CommandCall,
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
  if (typeof selector === 'string') return await selectorEffects(api(), selector, present);
  const events = await api().events();
  const subscriptions = new Map(events.map(({ client }) => [client.name, client.subscriptions]));
  const rows = events.map((event) => ({ row: eventRow(event) }));
  // The matches are counted as if the silence were active now, as an estimate for a silence that starts later.
  const { total, bySeverity, alreadySilenced } = previewSilence(
    [{ ...entry, begin: null, recurrence: null }],
    rows,
    (client) => subscriptions.get(client) ?? [],
    nowMs,
  );
  return effectsOf(entry, present, { ...bySeverity, total, silenced: alreadySilenced });
}

/**
 * Returns the effects of a silence with a selector. The backend counts the matches, because only it has all attributes
 * that a selector can use.
 */
async function selectorEffects(
  api: ApiClient,
  selector: string,
  present: SilencedView | undefined,
): Promise<readonly string[]> {
  const { events } = await api.silencePreview({ entries: [{ selector }] });
  if (events === undefined) throw new MonError('invalid', SELECTOR_UNSUPPORTED);
  return effectsOf({ selector }, present, events);
}

function effectsOf(
  target: SilencedTargetAttributes,
  present: SilencedView | undefined,
  events: Readonly<Record<Severity | 'total' | 'silenced', number>>,
): readonly string[] {
  const counts = SEVERITIES_WORST_FIRST.filter((severity) => events[severity] > 0)
    .map((severity) => `${String(events[severity])} ${severity}`)
    .join(', ');
  return [
    ...(present === undefined
      ? [`the silence ${silenceName(target)} would be created`]
      : [`the silence ${silenceName(present)}${originText(present)} would be replaced`]),
    `it matches ${countedNoun(events.total, 'events')}${counts === '' ? '' : ` now: ${counts}`}`,
    ...(events.silenced === 0 ? [] : [`${String(events.silenced)} of them already silenced`]),
  ];
}

/**
 * Returns the effects of ending a silence now, one sentence each.
 *
 * @throws MonError `not_found` when the silence does not exist
 */
export async function clearEffects({ api }: CommandCall, id: string): Promise<readonly string[]> {
  const [entry, events] = await Promise.all([requireSilence(api(), id), api().events()]);
  const matched = events.filter((event) => event.silenced_by.includes(id));
  const affectedEvents = matched.filter((event) => event.silenced_by.length === 1);
  return [
    `the silence ${silenceName(entry)}${originText(entry)} would end`,
    `${eventCounts(affectedEvents)} would no longer be silenced`,
    ...(affectedEvents.length === matched.length
      ? []
      : [`${countedNoun(matched.length - affectedEvents.length, 'events')} would stay silenced by other silences`]),
  ];
}

function originText({ creator, reason }: SilencedView): string {
  return `${creator === null ? '' : ` of ${creator}`}${reason === null ? '' : ` (${reason})`}`;
}

/**
 * Fetches a silence.
 *
 * @throws MonError `not_found` when the silence does not exist
 */
export function requireSilence(api: ApiClient, id: string): Promise<SilencedDetail> {
  return requireExisting(api.silencedDetail(id), missingEntry(id));
}

export function missingEntry(id: string): string {
  return `there is no silence ${id}: see monctl silence list`;
}
