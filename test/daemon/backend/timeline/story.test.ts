import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import type { TimelinePage, TimelineRow } from '../../../../shared/schemas/timeline.ts';
import type { EventRow } from '../../../../shared/schemas/feed.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const MON = '/api/mon/v1';
const RUNS = 6;

type Step =
  | { readonly do: 'report'; readonly client: string; readonly check: string; readonly status: number }
  | { readonly do: 'resolve' | 'forget'; readonly client: string; readonly check: string }
  | { readonly do: 'delete'; readonly client: string }
  | { readonly do: 'restart' };

const client = fc.constantFrom('a', 'b');
const check = fc.constantFrom('cpu', 'disk');
const story = fc.array(
  fc.oneof<fc.MaybeWeightedArbitrary<Step>[]>(
    {
      weight: 12,
      arbitrary: fc.record({ do: fc.constant('report' as const), client, check, status: fc.constantFrom(0, 0, 1, 2) }),
    },
    { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('resolve' as const, 'forget' as const), client, check }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), client }) },
    { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  ),
  { minLength: 5, maxLength: 30 },
);

let clock: ManualClock;
let dir: string;
let backend: Backend;

const open = async (): Promise<Backend> => (backend = await openBackend({ dir, clock, batcher: { batchLimit: 1 } }));
beforeEach(() => (clock = new ManualClock()));
afterEach(() => backend.stop());

const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
  send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });

async function act(step: Step): Promise<void> {
  switch (step.do) {
    case 'report': {
      const { client: source, check: name, status } = step;
      await ask('POST', '/results', { source, name, status, output: `${name} ${String(status)}` });
      return;
    }
    case 'resolve':
      await ask('DELETE', `/events/${step.client}/${step.check}`);
      return;
    case 'forget':
      await ask('DELETE', `/results/${step.client}/${step.check}`);
      return;
    case 'delete':
      await ask('DELETE', `/clients/${step.client}`);
      return;
    case 'restart':
      await backend.stop();
      await open();
  }
}

type Shown = Pick<EventRow, 'status' | 'action'>;

/** What the list of events shows at a moment, by client and check. */
async function observed(): Promise<ReadonlyMap<string, Shown>> {
  const rows = (await ask('GET', `${MON}/events`)).body as EventRow[];
  return new Map(rows.map(({ client: of, check: name, status, action }) => [`${of}/${name}`, { status, action }]));
}

/** The same, from transitions up to a moment. */
function rebuilt(newestFirst: readonly TimelineRow[], atMs: number): ReadonlyMap<string, Shown> {
  const events = new Map<string, Shown>();
  for (const { at, kind, client: of = '', check: name = '', status = 0, flapping } of newestFirst.toReversed()) {
    if (at > atMs) break;
    if (kind === 'resolve' || kind === 'remove') events.delete(`${of}/${name}`);
    else if (kind !== 'new') events.set(`${of}/${name}`, { status, action: flapping === true ? 'flapping' : 'create' });
  }
  return events;
}

test('of whatever happens, the timeline tells at each moment what the list of events showed then', async () => {
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      dir = await tempDir();
      await open();
      const seen: (readonly [number, ReadonlyMap<string, Shown>])[] = [];
      for (const step of steps) {
        clock.advance(1000);
        await act(step);
        seen.push([clock.now(), await observed()]);
      }
      const { transitions } = (await ask('GET', `${MON}/timeline?limit=1000`)).body as TimelinePage;
      await backend.stop();
      for (const [atMs, events] of seen) expect(rebuilt(transitions, atMs)).toEqual(events);
    }),
    { numRuns: RUNS },
  );
});
