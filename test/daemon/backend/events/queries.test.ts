import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { send } from '../../../support/raw-http.ts';
import { severityOf, type Severity } from '../../../../shared/domain/severity.ts';
import type { AggregateResults } from '../../../../shared/schemas/aggregate.ts';
import { SkippingClock } from '../../../support/skipping-clock.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

let backend: RunningBackend;
const clock = new SkippingClock();
beforeAll(async () => {
  backend = await startBackend({ clock });
});
afterAll(() => backend[Symbol.asyncDispose]());

const get = async (target: string): Promise<string> => (await send(backend.url, { method: 'GET', target })).text;
const post = (target: string, body: unknown): Promise<unknown> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

/** Attributes that make it hard to show a check without parsing its JSON text. */
const oddity = fc.constantFrom<object>(
  {},
  { password: 'hunter2' },
  { deep: { list: [{ api_key: 'hunter2' }] } },
  { text: '"password":"x","check":{"history":[' },
  { check: { check: { history: { length: 1 } } } },
  { event: null, eventCheck: { status: 0 }, deletionsBefore: 7 },
  { total_state_change: 99 },
  { nested: { history: [1, 2], total_state_change: 'x' } },
  { output: '","check":{}}', name: 'check' },
  { output: 'line\n"quoted" \\ \u2028 ü \u{1f600}' },
  { truncate_output: true, truncate_output_length: 3, output: 'long output' },
  { status: 0, auto_resolve: false },
  { status: 127 },
  { aggregates: ['a', 'b'] },
);
const report = fc.record({ check: fc.constantFrom('a', 'b'), status: fc.constantFrom(0, 1, 2), oddity });

/** Requests each item of a list by its own path, and returns the responses as one list. */
async function oneByOne(noun: 'events' | 'results', source: string, list: string): Promise<string> {
  const names = (JSON.parse(list) as { check: { name: string } }[]).map(({ check }) => check.name);
  const single = await Promise.all(names.map((name) => get(`/${noun}/${source}/${name}`)));
  return `[${single.join(',')}]`;
}

test('an event or result has the same text in a list as in a request for it alone', async () => {
  let clients = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(report, { minLength: 1, maxLength: 6 }),
      fc.constantFrom(undefined, [], ['text', 'output']),
      async (reports, redact) => {
        const source = `c${String(clients++)}`;
        await post('/clients', { name: source, address: '"a"', password: 'hunter2', redact });
        await post(
          '/api/mon/v1/results',
          reports.map(({ check, status, oddity: odd }) => ({ source, name: check, status, output: 'o', ...odd })),
        );
        const list = await get(`/events/${source}`);
        expect(list).toBe(await oneByOne('events', source, list));
        const results = await get(`/results/${source}`);
        expect(results).toBe(await oneByOne('results', source, results));
        expect(redact === undefined && `${list}${results}`.includes('hunter2')).toBe(false);
      },
    ),
    { numRuns: propertyRuns(25) },
  );
  expect(await get('/api/mon/v1/results')).toBe(await get('/results'));
});

const remove = (target: string): Promise<unknown> => send(backend.url, { method: 'DELETE', target });

type Happening = (source: string) => Promise<unknown>;

/** A random change of the check `a` or `b` of a client, in the aggregate `all`. */
const happening = fc.oneof<fc.WeightedArbitrary<Happening>[]>(
  {
    weight: 5,
    arbitrary: report.map(
      ({ check, status, oddity: odd }): Happening =>
        (source) =>
          post('/results', { source, name: check, status, output: 'o', ...odd, aggregates: ['all'] }),
    ),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Happening>(
      (source) => post('/silenced', { subscription: `client:${source}`, check: 'a' }),
      async (source) => {
        await post('/silenced', { subscription: `client:${source}`, check: 'b', expire: 1 });
        clock.skip(2000);
      },
      (source) => post('/silenced/clear', { subscription: `client:${source}`, check: 'a' }),
      () => post('/api/mon/v1/checks/a/rename', { to: 'b', force: true }),
      () => post('/api/mon/v1/checks/b/rename', { to: 'a', force: true }),
      (source) => post('/resolve', { client: source, check: 'b' }),
      (source) => remove(`/events/${source}/b`),
      (source) => remove(`/results/${source}/a`),
      (source) => remove(`/clients/${source}`),
      (source) => post('/clients', { name: source, address: 'elsewhere' }),
      (source) => post('/clients', { name: source, address: 'elsewhere', redact: ['text', 'output'] }),
    ),
  },
);

interface ShownResult {
  readonly client: string;
  readonly check: { readonly name: string; readonly status: number; readonly output: string };
}

/** Returns name and output of the results at this severity. */
const outputsAtSeverity = (results: readonly ShownResult[], severity: Severity): object[] =>
  results
    .filter(({ check }) => severityOf(check.status) === severity)
    .map(({ check: { name, output } }) => ({ check: name, output }));
const outputsOf = (source: string, listed: readonly AggregateResults[]): object[] =>
  listed.flatMap(({ check, summary }) =>
    summary.filter(({ clients }) => clients.includes(source)).map(({ output }) => ({ check, output })),
  );

test('a list always equals the single reads, whatever changed since the previous list', async () => {
  let clients = 0;
  await post('/results', { source: 'always', name: 'a', output: '', aggregate: 'all' });
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { minLength: 2, maxLength: 10 }), async (happenings) => {
      const source = `again${String(clients++)}`;
      await post('/results', { source, name: 'a', status: 2, output: 'first', aggregate: 'all' });
      for (const happen of happenings) {
        await happen(source);
        const list = await get(`/events/${source}`);
        expect(list).toBe(await oneByOne('events', source, list));
        const text = await get(`/results/${source}`);
        expect(text).toBe(await oneByOne('results', source, text));
        const results = JSON.parse(text) as ShownResult[];
        for (const severity of ['ok', 'critical'] as const) {
          const listed = JSON.parse(await get(`/aggregates/all/results/${severity}`)) as AggregateResults[];
          expect(outputsOf(source, listed)).toEqual(outputsAtSeverity(results, severity));
        }
      }
    }),
    { numRuns: propertyRuns(15) },
  );
});
