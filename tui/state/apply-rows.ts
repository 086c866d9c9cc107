import type { ClientRow, EventBrief, EventRow, FeedBriefs, FeedRows, SilencedRow } from '../../shared/schemas/feed.ts';
import { counted } from '../../shared/domain/counted.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { silenceName } from '../words/silence-text.ts';
import { keyOf } from './keys.ts';
import type { Bell } from './bell.ts';
import type { Says, Asks, Frames, Rows, Screen, Urgency } from './ports.ts';
import type { Upkeep } from './upkeep.ts';
import type { Known } from '../model/known.ts';
import { nameBeside } from '../model/backend-names.ts';
import type { SnapshotRows } from '../model/snapshot-rows.ts';
import { targetOf } from '../model/target.ts';
import type { EventRecord } from '../model/event-record.ts';

/** How rows of the feed are taken. */
interface AboutRows {
  /** The rows open a snapshot of everything. */
  readonly replace: boolean;
  readonly nowMs: number;
  /** The rows tell of what happens now, outside of a snapshot. */
  readonly isNews: boolean;
  /** What changed of events whose rows are not asked for. */
  readonly brief?: FeedBriefs | undefined;
}

/** What rows are put into. */
interface TakesRows
  extends Pick<Known, 'events' | 'silenceHistory' | 'feed'>, Pick<Screen, 'state'>, Asks, Says, Frames, Rows {
  readonly silenced: SnapshotRows<SilencedRow>;
  readonly clients: SnapshotRows<ClientRow>;
  readonly urgency: Urgency;
  readonly upkeep: Upkeep;
  /** Whether an event is drawn, or belongs above the last one that is. */
  readonly window: { reaches(store: Pick<Known, 'events'>, key: string, record: EventRecord | undefined): boolean };
}

const NO_IDS: readonly string[] = [];

/** Takes rows of the feed into the store, and notes which rows of which views are others by that. */
export function applyRows(store: TakesRows, bell: Bell, rows: FeedRows, about: AboutRows): void {
  if (about.replace) beginSnapshot(store);
  const { events = {} } = rows;
  // Without an array of arrays: a snapshot has a hundred thousand.
  for (const key in events) applyEvent(store, bell, key, events[key] ?? null, about);
  for (const [key, brief] of Object.entries(about.brief?.events ?? {})) hearBrief(store, bell, key, brief, about);
  for (const [id, row] of Object.entries(rows.silenced ?? {})) {
    const known = store.silenced.get(id);
    if (row === null && known !== undefined) store.silenceHistory.ended(known, about.nowMs);
    if (row !== null && about.isNews) remind(store, row, known, about.nowMs);
    setOrDelete(store.silenced, id, row);
    store.changed('silences', id);
  }
  for (const [name, row] of Object.entries(rows.clients ?? {})) {
    setOrDelete(store.clients, name, row);
    store.changed('clients', name);
  }
  if (rows.silenced !== undefined) store.touch('rows');
}

/**
 * Takes events of a snapshot that has begun. What they change in other views is told once for all of them: there may be a
 * hundred thousand.
 */
export function applySnapshotEvents(
  store: TakesRows,
  bell: Bell,
  events: readonly EventRow[],
  { nowMs, isNews }: Pick<AboutRows, 'nowMs' | 'isNews'>,
): void {
  for (const row of events) {
    const key = eventKey(row.client, row.check);
    if (isNews) bell.heard(store, store.events.briefOf(key), row, nowMs);
    store.events.apply(key, row, nowMs, isNews);
  }
  allRowsChanged(store);
}

/** The rows of clients, checks and silences count their events. */
function allRowsChanged(store: Rows): void {
  store.allChanged('silences');
  store.allChanged('clients');
  store.allChanged('checks');
}

/** Points out that a silence is about to end, when its backend does. */
function remind(store: Says, row: SilencedRow, known: SilencedRow | undefined, nowMs: number): void {
  const { reminder_sent: reminderSent, expire_at: end } = row;
  if (reminderSent === undefined || end === null || known?.reminder_sent !== undefined) return;
  const left = formatDuration(end - nowMs / 1000, 1);
  const events = counted(reminderSent.events, 'event');
  store.say(
    `${safeLine(silenceName(row))} ends in ${left} and silences ${events}: ${keyOf('silence-change')} in the silences view extends it`,
  );
}

function beginSnapshot(store: TakesRows): void {
  store.events.beginSnapshot();
  store.silenced.beginSnapshot();
  store.upkeep.startOver();
  store.clients.beginSnapshot();
  allRowsChanged(store);
}

function applyEvent(
  store: TakesRows,
  bell: Bell,
  key: string,
  row: EventRow | null,
  { nowMs, isNews }: AboutRows,
): void {
  const known = store.events.get(key)?.row;
  if (row !== null && isNews) bell.heard(store, store.events.briefOf(key), row, nowMs);
  const before = known?.silenced_by ?? NO_IDS;
  const record = store.events.apply(key, row, nowMs, isNews);
  const after = row?.silenced_by ?? NO_IDS;
  // A silence's row counts its events. Most changes are one more result, with the same silences.
  if (before.length > 0 || after.length > 0) for (const id of [...before, ...after]) store.changed('silences', id);
  // The rows of clients and checks count their events.
  const { client, check } = row ?? known ?? targetOf(key);
  store.changed('clients', client);
  store.changed('checks', nameBeside(client, check));
  // The next frame draws the rows in any case once one of them is another. Each look at a part of a snapshot puts all of it
  // in order, which is a twelfth of the work for the whole: until it is complete the frame of each second is enough.
  if (store.urgency === 'rows' || store.feed.connection.kind !== 'live') return;
  const isInView = store.state.view === 'events' && store.window.reaches(store, key, record);
  store.touch(isInView ? 'rows' : 'figures');
}

/** Nobody looks at what of it is not counted. */
function hearBrief(store: TakesRows, bell: Bell, key: string, brief: EventBrief, { nowMs, isNews }: AboutRows): void {
  const { client, check } = store.events.get(key)?.row ?? targetOf(key);
  const row = { client, check, status: brief.status, silenced_by: brief.silenced_by };
  if (isNews) bell.heard(store, store.events.briefOf(key), row, nowMs);
  store.events.hear(key, brief, nowMs);
  store.touch('figures');
}

function setOrDelete<T>(map: Map<string, T>, key: string, value: T | null): void {
  if (value === null) map.delete(key);
  else map.set(key, value);
}
