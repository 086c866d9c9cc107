import type { ClientRow, EventBrief, EventRow, FeedBriefs, FeedRows, SilencedRow } from '../../shared/schemas/feed.ts';
import { countWithNoun } from '../../shared/domain/count-text.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { targetText } from '../../shared/domain/silence-name.ts';
import { keyOf } from './keys.ts';
import type { Bell } from './bell.ts';
import type { Screen, Frames, ChangedRowsRecorder, Urgency } from './ports.ts';
import type { Upkeep } from './upkeep.ts';
import type { LiveData } from '../model/live-data.ts';
import { nameAtSameBackend } from '../model/backend-names.ts';
import type { SnapshotRows } from '../model/snapshot-rows.ts';
import { targetOf } from '../model/target.ts';
import type { EventRecord } from '../model/event-record.ts';

/** The circumstances in which rows from the feed are applied. */
interface RowsContext {
  /** True if the rows start a full snapshot. */
  readonly replace: boolean;
  readonly nowMs: number;
  /** True if the rows report current changes, outside of a snapshot. */
  readonly isNews: boolean;
  /** True if the rows were buffered, so that it is unknown when events resolved. Default false. */
  readonly isLate?: boolean;
  /** Changes of events that are not visible, so the feed sends only the fields that counters need. */
  readonly brief?: FeedBriefs | undefined;
}

/** The parts of the store that `applyRows` needs. */
interface RowsTarget
  extends Pick<LiveData, 'events' | 'silenceHistory' | 'feed'>, Screen, Screen, Screen, Frames, ChangedRowsRecorder {
  readonly silenced: SnapshotRows<SilencedRow>;
  readonly clients: SnapshotRows<ClientRow>;
  readonly urgency: Urgency;
  readonly upkeep: Upkeep;
  /** Returns whether an event is on the screen, or is sorted before the last visible event. */
  readonly window: { reaches(store: Pick<LiveData, 'events'>, key: string, record: EventRecord | undefined): boolean };
}

const NO_IDS: readonly string[] = [];

/** Applies rows of the feed to the store, and records which rows of the views changed. */
export function applyRows(store: RowsTarget, bell: Bell, rows: FeedRows, context: RowsContext): void {
  if (context.replace) beginSnapshot(store);
  const { events = {} } = rows;
  // The loop does not use `Object.entries`, which would build arrays: a snapshot may have a hundred thousand events.
  for (const key in events) applyEvent(store, bell, key, events[key] ?? null, context);
  for (const [key, brief] of Object.entries(context.brief?.events ?? {})) applyBrief(store, bell, key, brief, context);
  for (const [id, row] of Object.entries(rows.silenced ?? {})) {
    const previous = store.silenced.get(id);
    if (row === null && previous !== undefined) store.silenceHistory.recordEnd(previous, context.nowMs);
    if (row !== null && context.isNews) showReminder(store, row, previous, context.nowMs);
    setOrDelete(store.silenced, id, row);
    store.changed('silences', id);
  }
  for (const [name, row] of Object.entries(rows.clients ?? {})) {
    setOrDelete(store.clients, name, row);
    store.changed('clients', name);
  }
  if (rows.silenced !== undefined) store.requestFrame('rows');
}

/**
 * Applies events of a snapshot that has begun. The other views are marked as changed once and not for each event,
 * because there may be a hundred thousand events.
 */
export function applySnapshotEvents(
  store: RowsTarget,
  bell: Bell,
  events: readonly EventRow[],
  { nowMs, isNews }: Pick<RowsContext, 'nowMs' | 'isNews'>,
): void {
  for (const row of events) {
    const key = eventKey(row.client, row.check);
    if (isNews) bell.ringIfRequired(store, store.events.briefOf(key), row, nowMs);
    store.events.apply(key, row, nowMs, isNews);
  }
  allRowsChanged(store);
}

/** Marks all rows of silences, clients and checks as changed, because each shows the number of its events. */
function allRowsChanged(store: ChangedRowsRecorder): void {
  store.allChanged('silences');
  store.allChanged('clients');
  store.allChanged('checks');
}

/** Shows a message that a silence is about to end, as soon as the backend reports that it sent its reminder. */
function showReminder(store: Screen, row: SilencedRow, previous: SilencedRow | undefined, nowMs: number): void {
  const { reminder_sent: reminderSent, expire_at: end } = row;
  if (reminderSent === undefined || end === null || previous?.reminder_sent !== undefined) return;
  const left = formatDuration(end - nowMs / 1000, 1);
  const events = countWithNoun(reminderSent.events, 'event');
  store.say(
    `silence ${safeLine(targetText(row))} expires in ${left} (covers ${events}): extend it with ${keyOf('silence-change')} in the silences view`,
  );
}

function beginSnapshot(store: RowsTarget): void {
  store.events.beginSnapshot();
  store.silenced.beginSnapshot();
  store.upkeep.startOver();
  store.clients.beginSnapshot();
  allRowsChanged(store);
}

function applyEvent(
  store: RowsTarget,
  bell: Bell,
  key: string,
  row: EventRow | null,
  { nowMs, isNews, isLate = false }: RowsContext,
): void {
  const previousRow = store.events.get(key)?.row;
  if (row !== null && isNews) bell.ringIfRequired(store, store.events.briefOf(key), row, nowMs);
  const before = previousRow?.silenced_by ?? NO_IDS;
  const record = store.events.apply(key, row, nowMs, isNews && !(isLate && row === null));
  const after = row?.silenced_by ?? NO_IDS;
  // The row of a silence shows the number of its events. Most changes affect no silence at all.
  if (before.length > 0 || after.length > 0) for (const id of [...before, ...after]) store.changed('silences', id);
  // The rows of clients and checks show the number of their events.
  const { client, check } = row ?? previousRow ?? targetOf(key);
  store.changed('clients', client);
  store.changed('checks', nameAtSameBackend(client, check));
  // A frame with rows is requested only if no such frame is pending. During a snapshot it is not requested, because it
  // would sort all rows that have arrived, a twelfth of the whole work. Until the snapshot is complete, one frame each
  // second is enough.
  if (store.urgency === 'rows' || store.feed.connection.kind !== 'live') return;
  const isInView = store.state.view === 'events' && store.window.reaches(store, key, record);
  store.requestFrame(isInView ? 'rows' : 'figures');
}

/**
 * Applies a change that the feed sent without the full row of the event, because that row is not visible. Only the
 * counters and the bell use it.
 */
function applyBrief(
  store: RowsTarget,
  bell: Bell,
  key: string,
  brief: EventBrief,
  { nowMs, isNews }: RowsContext,
): void {
  const { client, check } = store.events.get(key)?.row ?? targetOf(key);
  const row = { client, check, status: brief.status, silenced_by: brief.silenced_by };
  if (isNews) bell.ringIfRequired(store, store.events.briefOf(key), row, nowMs);
  store.events.applyBrief(key, brief, nowMs);
  store.requestFrame('figures');
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}
