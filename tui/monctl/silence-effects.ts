import type { ApiClient } from '../../shared/client/api-client.ts';
import { eventRow } from '../../shared/domain/event-row.ts';
import type { SilencedView, SubmittedSilenced } from '../../shared/schemas/silenced.ts';
import { previewSilence } from '../model/silence-preview.ts';
import type { Call } from './command.ts';
import { counted } from './counted.ts';
import { found } from './found.ts';
import { SEVERITY_ORDER, eventCounts } from './severity-text.ts';

/** What a silence would do if it were made now. */
export async function silenceEffects(
  { api, nowMs }: Call,
  id: string,
  entry: SubmittedSilenced,
): Promise<readonly string[]> {
  const [present, events] = await Promise.all([api().silencedEntry(id), api().events()]);
  const subscriptions = new Map(events.map(({ client }) => [client.name, client.subscriptions]));
  const rows = events.map((event) => ({ row: eventRow(event) }));
  // As if it had begun: what a window in the future would silence is what silences now.
  const { total, bySeverity, alreadySilenced } = previewSilence(
    [{ ...entry, begin: null }],
    rows,
    (client) => subscriptions.get(client) ?? [],
    nowMs,
  );
  const counts = SEVERITY_ORDER.filter((severity) => bySeverity[severity] > 0)
    .map((severity) => `${String(bySeverity[severity])} ${severity}`)
    .join(', ');
  return [
    ...(present === undefined ? [] : [`the entry ${id}${madeBy(present)} would be replaced`]),
    `it matches ${counted(total, 'events')}${counts === '' ? '' : ` now: ${counts}`}`,
    ...(alreadySilenced === 0 ? [] : [`${String(alreadySilenced)} of them silenced already`]),
  ];
}

/**
 * What the end of a silence would do now.
 *
 * @throws MonError `not_found`
 */
export async function clearEffects({ api }: Call, id: string): Promise<readonly string[]> {
  const [entry, events] = await Promise.all([wantedEntry(api(), id), api().events()]);
  const matched = events.filter((event) => event.silenced_by.includes(id));
  const freed = matched.filter((event) => event.silenced_by.length === 1);
  return [
    `the entry ${id}${madeBy(entry)} would end`,
    `no longer silenced would be ${eventCounts(freed)}`,
    ...(freed.length === matched.length
      ? []
      : [`${counted(matched.length - freed.length, 'events')} would stay silenced by other entries`]),
  ];
}

function madeBy({ creator, reason }: SilencedView): string {
  return `${creator === null ? '' : ` of ${creator}`}${reason === null ? '' : ` (${reason})`}`;
}

/** @throws MonError `not_found` */
export function wantedEntry(api: ApiClient, id: string): Promise<SilencedView> {
  return found(api.silencedEntry(id), missingEntry(id));
}

export function missingEntry(id: string): string {
  return `there is no silenced entry ${id}: see monctl silenced list`;
}
