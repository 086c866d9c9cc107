import type { GroupRun, HandledEvent, HandlerJob } from '../../../../../shared/schemas/handler-job.ts';
import type { SilencedRow } from '../../../../../shared/schemas/feed.ts';
import { toCurrentReminder, toStoredReminder, type WithStoredReminder } from '../../silences/stored-reminder.ts';

/*
 * Converts handler jobs between memory and the store. The stored form has older attribute names: `left_out` for
 * `omitted`, and `reminded` for `reminder_sent`.
 */

interface StoredEvent extends Omit<HandledEvent, 'silence_ending'> {
  readonly silence_ending?: WithStoredReminder<SilencedRow>;
}

type StoredGroupedEvent = StoredEvent & Pick<GroupRun['events'][number], 'change'>;

interface StoredGroupRun extends Omit<GroupRun, 'omitted' | 'events'> {
  readonly left_out: number;
  readonly events: readonly StoredGroupedEvent[];
}

interface StoredJob extends Omit<HandlerJob, 'event' | 'group'> {
  readonly event: StoredEvent;
  readonly group?: StoredGroupRun | undefined;
}

/** Returns the JSON text to store for a handler job. */
export function encodeJob({ event, group, ...attributes }: HandlerJob): string {
  const stored: StoredJob = {
    ...attributes,
    event: encodeEvent(event),
    ...(group && { group: encodeGroupRun(group) }),
  };
  return JSON.stringify(stored);
}

/**
 * Returns a handler job from its stored text.
 *
 * @param text a text that `encodeJob` returned
 */
export function decodeJob(text: string): HandlerJob {
  const { event, group, ...attributes } = JSON.parse(text) as StoredJob;
  return { ...attributes, event: decodeEvent(event), ...(group && { group: decodeGroupRun(group) }) };
}

function encodeGroupRun({ omitted, events, ...attributes }: GroupRun): StoredGroupRun {
  return { ...attributes, left_out: omitted, events: events.map(encodeEvent) };
}

function decodeGroupRun({ left_out: omitted, events, ...attributes }: StoredGroupRun): GroupRun {
  return { ...attributes, omitted, events: events.map(decodeEvent) };
}

function encodeEvent<Extra>(event: HandledEvent & Extra): StoredEvent & Extra {
  const { silence_ending: row, ...attributes } = event;
  if (row === undefined) return event;
  return { ...attributes, silence_ending: toStoredReminder(row) } as StoredEvent & Extra;
}

function decodeEvent<Extra>(event: StoredEvent & Extra): HandledEvent & Extra {
  const { silence_ending: row, ...attributes } = event;
  if (row === undefined) return event;
  return { ...attributes, silence_ending: toCurrentReminder(row) } as HandledEvent & Extra;
}
