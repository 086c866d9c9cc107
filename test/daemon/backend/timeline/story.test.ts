import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PastChanges, PastState, TimelinePage, TimelineRow } from '../../../../shared/schemas/timeline.ts';
import type { EventRow, SilencedRow } from '../../../../shared/schemas/feed.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MON = '/api/mon/v1';
const RUNS = 3;
const DAY = 86_400_000;

type Step =
  | {
      readonly do: 'report';
      readonly client: string;
      readonly check: string;
      readonly status: number;
      /** Number of OK results after which the event of the check resolves. */
      readonly requiredOkCount: number;
    }
  | { readonly do: 'acknowledge'; readonly client: string; readonly check: string; readonly sticky: boolean }
  | { readonly do: 'resolve' | 'forget' | 'unacknowledge'; readonly client: string; readonly check: string }
  | { readonly do: 'delete'; readonly client: string }
  | { readonly do: 'silence'; readonly client: string; readonly check: string; readonly expire: number }
  | { readonly do: 'clear'; readonly client: string; readonly check: string }
  | { readonly do: 'day' | 'restart' };

const client = fc.constantFrom('a', 'b');
const check = fc.constantFrom('cpu', 'disk');
const story = fc.array(
  fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(
    {
      weight: 12,
      arbitrary: fc.record({
        do: fc.constant('report' as const),
        client,
        check,
        status: fc.constantFrom(0, 0, 1, 2),
        requiredOkCount: fc.constantFrom(1, 1, 2, 3),
      }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('resolve' as const, 'forget' as const), client, check }) },
    {
      weight: 3,
      arbitrary: fc.record({ do: fc.constant('acknowledge' as const), client, check, sticky: fc.boolean() }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('unacknowledge' as const), client, check }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), client }) },
    {
      weight: 2,
      arbitrary: fc.record({ do: fc.constant('silence' as const), client, check, expire: fc.constantFrom(-1, 3, 10) }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('clear' as const), client, check }) },
    // The step of a day makes a checkpoint due, which is written concurrently with further transitions.
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('day' as const, 'restart' as const) }) },
  ),
  { minLength: 5, maxLength: 30 },
);

let rig: BackendRig;

const ask: Ask = (...request) => rig.ask(...request);

async function act(step: Step): Promise<void> {
  switch (step.do) {
    case 'report': {
      const { client: source, check: name, status, requiredOkCount } = step;
      const late = requiredOkCount === 1 ? {} : { resolve_after: requiredOkCount };
      await ask('POST', '/results', { source, name, status, output: `${name} ${String(status)}`, ...late });
      return;
    }
    case 'resolve':
      await ask('DELETE', `/events/${step.client}/${step.check}`);
      return;
    case 'acknowledge': {
      const { do: _, ...acknowledgement } = step;
      await ask('POST', `${MON}/acknowledgements`, { ...acknowledgement, note: 'a story' });
      return;
    }
    case 'unacknowledge':
      await ask('DELETE', `${MON}/acknowledgements/${step.client}/${step.check}`);
      return;
    case 'forget':
      await ask('DELETE', `/results/${step.client}/${step.check}`);
      return;
    case 'delete':
      await ask('DELETE', `/clients/${step.client}`);
      return;
    case 'silence':
    case 'clear': {
      const { client: of, check: name } = step;
      const entry = { subscription: `client:${of}`, check: name };
      if (step.do === 'clear') await ask('POST', '/silenced/clear', entry);
      else await ask('POST', '/silenced', { ...entry, expire: step.expire, reason: 'a story' });
      return;
    }
    case 'day':
    case 'restart':
      await rig.stop();
      // A new clock, because advancing the old one by a day would run thousands of timers.
      if (step.do === 'day') rig.clock = new ManualClock(rig.clock.now() + DAY);
      await rig.start();
      // Advances to the next check whether a checkpoint is due.
      if (step.do === 'day') rig.clock.advance(10_000);
  }
}

type Shown = Pick<EventRow, 'status' | 'action'>;

/** Returns status and action of each current event, by client and check. */
async function observed(): Promise<ReadonlyMap<string, Shown>> {
  const rows = (await ask('GET', `${MON}/events`)).body as EventRow[];
  return new Map(rows.map(({ client: of, check: name, status, action }) => [`${of}/${name}`, { status, action }]));
}

/** Rebuilds the list of events at a moment from the transitions of the timeline. */
function pastStateAt(newestFirst: readonly TimelineRow[], atMs: number): ReadonlyMap<string, Shown> {
  const events = new Map<string, Shown>();
  for (const { at, kind, client: of = '', check: name = '', status = 0, flapping } of newestFirst.toReversed()) {
    if (at > atMs) break;
    if (of === '') continue;
    if (kind === 'resolve' || kind === 'remove') events.delete(`${of}/${name}`);
    else if (kind !== 'new') events.set(`${of}/${name}`, { status, action: flapping === true ? 'flapping' : 'create' });
  }
  return events;
}

/** The visible state at a moment: the events with their silences and outputs, and all silences. */
interface Snapshot {
  readonly atMs: number;
  readonly events: readonly Partial<EventRow>[];
  readonly silences: readonly Partial<SilencedRow>[];
}

async function currentSnapshot(): Promise<Snapshot> {
  const rows = (await ask('GET', `${MON}/events?sort=client`)).body as EventRow[];
  const silences = (await ask('GET', `${MON}/silenced`)).body as SilencedRow[];
  return { atMs: rig.clock.now(), ...snapshotOf(rows, silences) };
}

/** Returns what the timeline shows for a moment. */
async function timelineSnapshot(atMs: number): Promise<Snapshot> {
  const target = `${MON}/timeline/state?at=${String(atMs)}&silenced&sort=client&limit=1000`;
  const { events, silenced = [] } = (await ask('GET', target)).body as PastState;
  return { atMs, ...snapshotOf(events, silenced) };
}

function snapshotOf(
  events: readonly EventRow[],
  silences: readonly SilencedRow[],
): Pick<Snapshot, 'events' | 'silences'> {
  return {
    events: events.map(({ client: of, check: name, status, action, silenced_by: ids, output, acknowledged }) => {
      return {
        client: of,
        check: name,
        status,
        action,
        silenced_by: ids,
        output,
        ...(acknowledged && { acknowledged }),
      };
    }),
    silences: silences
      .map(({ id, reason, expire_at: end, timestamp }) => ({ id, reason, expire_at: end, timestamp }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** Returns the state at a moment from the timeline, including the clients. */
async function stateAt(atMs: number): Promise<PastState> {
  const target = `${MON}/timeline/state?at=${String(atMs)}&silenced&clients&sort=client&limit=1000`;
  return (await ask('GET', target)).body as PastState;
}

const keyOf = (row: Pick<EventRow, 'client' | 'check'>): string => `${row.client}/${row.check}`;

/**
 * Computes the state at a moment from another state and the changes between both. Returns `undefined` if there are too
 * many changes.
 */
async function stateFrom(from: PastState, atMs: number): Promise<PastState | undefined> {
  const target = `${MON}/timeline/changes?from=${String(from.at)}&at=${String(atMs)}`;
  const changes = (await ask('GET', target)).body as PastChanges;
  if (changes.too_many_changes) return undefined;
  const events = new Map(from.events.map((row) => [keyOf(row), row]));
  if (changes.silenced !== undefined) for (const [key, row] of events) events.set(key, { ...row, silenced_by: [] });
  for (const row of changes.events) events.set(keyOf(row), row);
  for (const gone of changes.removed) events.delete(keyOf(gone));
  const clients = new Map(from.clients?.map((row) => [row.name, row]));
  for (const row of changes.clients) clients.set(row.name, row);
  for (const { name } of changes.removed_clients) clients.delete(name);
  return {
    ...from,
    ...changes,
    events: [...events.values()].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    silenced: changes.silenced ?? from.silenced ?? [],
    clients: [...clients.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)),
  };
}

/** Returns the part of a state that does not depend on the checkpoint from which it was built. */
function comparable({ at, previous, next, events, silenced = [], clients = [] }: PastState): unknown {
  return {
    around: [at, previous, next],
    ...snapshotOf(events, silenced),
    since: events.map(({ since }) => since),
    clients: clients.map(({ name, events: some, deleted }) => [name, some, deleted]),
  };
}

test('the timeline shows for each past time exactly the events that the list of events showed then', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      rig = await BackendRig.open();
      const seen: (readonly [number, ReadonlyMap<string, Shown>])[] = [];
      const sights: Snapshot[] = [];
      for (const step of steps) {
        rig.clock.advance(1000);
        await act(step);
        seen.push([rig.clock.now(), await observed()]);
        sights.push(await currentSnapshot());
      }
      const { transitions } = (await ask('GET', `${MON}/timeline?limit=1000`)).body as TimelinePage;
      for (const [atMs, events] of seen) expect(pastStateAt(transitions, atMs)).toEqual(events);
      // The timeline does not contain the state before the first transition.
      const first = transitions.at(-1)?.at ?? Infinity;
      const known = sights.filter(({ atMs }) => atMs >= first);
      for (const was of known) expect(await timelineSnapshot(was.atMs)).toEqual(was);
      // Pairs of moments: each with the next one and back, and the last one with each.
      const moments = known.map(({ atMs }) => atMs);
      const pairs = moments
        .slice(1)
        .flatMap((atMs, before) => [
          [moments[before] ?? 0, atMs] as const,
          [atMs, moments[before] ?? 0] as const,
          [moments.at(-1) ?? 0, atMs] as const,
        ]);
      for (const [fromMs, atMs] of pairs) {
        const state = await stateFrom(await stateAt(fromMs), atMs);
        expect(state && comparable(state)).toEqual(comparable(await stateAt(atMs)));
      }
      await rig.stop();
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
