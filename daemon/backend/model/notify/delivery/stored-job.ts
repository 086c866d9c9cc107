import type { GroupRun, HandledEvent, HandlerJob } from '../../../../../shared/schemas/handler-job.ts';
import type { SilencedRow } from '../../../../../shared/schemas/feed.ts';
import { withCurrentReminder, withStoredReminder, type WithStoredReminder } from '../../silences/stored-reminder.ts';

/*
 * Converts handler runs between memory and the store. Up to schema 4, the stored form of a run has the attribute
 * `left_out` for `omitted`, and `reminded` for `reminder_sent`.
 */

interface StoredEvent extends Omit<HandledEvent, 'silence_ending'> {
  readonly silence_ending?: WithStoredReminder<SilencedRow>;
}

type StoredGroupedEvent = StoredEvent & Pick<GroupRun['events'][number], 'change'>;

interface StoredGroup extends Omit<GroupRun, 'omitted' | 'events'> {
  readonly left_out: number;
  readonly events: readonly StoredGroupedEvent[];
}

interface StoredJob extends Omit<HandlerJob, 'event' | 'group'> {
  readonly event: StoredEvent;
  readonly group?: StoredGroup | undefined;
}

/** Returns the JSON text under which a handler run is stored. */
export function storedJob({ event, group, ...attributes }: HandlerJob): string {
  const stored: StoredJob = { ...attributes, event: storedEvent(event), ...(group && { group: storedGroup(group) }) };
  return JSON.stringify(stored);
}

/**
 * Returns a handler run from its stored text.
 *
 * @param text a text that `storedJob` returned
 */
export function jobOfStored(text: string): HandlerJob {
  const { event, group, ...attributes } = JSON.parse(text) as StoredJob;
  return { ...attributes, event: eventOfStored(event), ...(group && { group: groupOfStored(group) }) };
}

function storedGroup({ omitted, events, ...attributes }: GroupRun): StoredGroup {
  return { ...attributes, left_out: omitted, events: events.map(storedEvent) };
}

function groupOfStored({ left_out: omitted, events, ...attributes }: StoredGroup): GroupRun {
  return { ...attributes, omitted, events: events.map(eventOfStored) };
}

function storedEvent<Extra>(event: HandledEvent & Extra): StoredEvent & Extra {
  const { silence_ending: row, ...attributes } = event;
  if (row === undefined) return event;
  return { ...attributes, silence_ending: withStoredReminder(row) } as StoredEvent & Extra;
}

function eventOfStored<Extra>(event: StoredEvent & Extra): HandledEvent & Extra {
  const { silence_ending: row, ...attributes } = event;
  if (row === undefined) return event;
  return { ...attributes, silence_ending: withCurrentReminder(row) } as HandledEvent & Extra;
}
