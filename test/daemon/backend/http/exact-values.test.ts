import * as fc from 'fast-check';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { acceptLocalResults } from '../../../../daemon/agent/inputs/local-result.ts';
import { metricsText } from '../../../../shared/domain/metrics/event-points.ts';
import { parseJsonStripped } from '../../../../shared/domain/json.ts';
import { parseJsonFile } from '../../../../shared/domain/json-text.ts';
import { parseJsonWithRawControls } from '../../../../shared/domain/raw-control-characters.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { AgentPeer } from '../../../support/agent-peer.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
beforeEach(async () => {
  backend = await startBackend({});
  onTestFinished(() => backend[Symbol.asyncDispose]());
});

const ask = (method: string, target: string, body: string | null = null): Promise<Answer> =>
  send(backend.url, { method, target, body });

const EVENTS = '/api/core/v2/namespaces/default/events';

/** 2026-11-27 in nanoseconds, as v2 agents send it. */
const NANOSECONDS = 1_795_814_119_000_000_000;

const eventWith = (timestamp: string): string =>
  `{"entity": {"metadata": {"name": "web-1"}}, "check": {"metadata": {"name": "load"}, "status": 2, "output": "o"},
    "metrics": {"points": [{"name": "load", "value": 0.5, "timestamp": ${timestamp}, "tags": []}]}}`;

describe('points of metrics', () => {
  test('an event with a metric point in nanoseconds is accepted, and shows the exact time of the point', async () => {
    expect((await ask('POST', EVENTS, eventWith(String(NANOSECONDS)))).status).toBe(201);
    const { text } = await ask('GET', `${EVENTS}/web-1/load`);
    expect(text).toContain(`"timestamp":${String(NANOSECONDS)}`);
    expect((await ask('GET', '/events/web-1/load')).status).toBe(200);
  });

  test('metric points in nanoseconds are accepted in a large body that is parsed in chunks', async () => {
    const point = `{"name": "load", "value": 0.5, "timestamp": ${String(NANOSECONDS)}, "tags": []}`;
    const points = Array.from({ length: 1000 }, () => point).join(',');
    const body = eventWith('1').replace(/"points": \[.*\]/, `"points": [${points}]`);
    expect(body.length).toBeGreaterThan(64 * 1024);
    expect((await ask('POST', EVENTS, body)).status).toBe(201);
    const withNumber = body.replace('"output": "o"', '"output": "o", "own": 9007199254740993');
    expect((await ask('POST', EVENTS, withNumber)).status).toBe(400);
  });

  test('a metric time beyond an int64 or with half a nanosecond is rejected', async () => {
    for (const timestamp of ['9300000000000000000', '-9300000000000000000', '1.5', '1e300'])
      expect((await ask('POST', EVENTS, eventWith(timestamp))).status).toBe(400);
  });

  test.each([1, 1e3, 1e6, 1e9])(
    'a metric time in seconds times %d becomes the same time in every metric output format',
    (unit) => {
      const point = { name: 'load', value: 0.5, timestamp: 1_795_814_119 * unit, tags: [] };
      const check = { name: 'load', executed: 1, metrics: { points: [point] } };
      const event = { client: { name: 'web-1' }, check } as unknown as Parameters<typeof metricsText>[0];
      expect(metricsText(event, 'influxdb_line')).toContain(' 1795814119000000000\n');
      expect(metricsText(event, 'graphite_plaintext')).toContain(' 1795814119\n');
      expect(metricsText(event, 'opentsdb_line')).toMatch(/ 1795814119(?:000)? /);
    },
  );
});

/** Requests whose body contains an arbitrary JSON value, one for each kind of object. */
const WIRES: readonly { readonly name: string; readonly target: string; readonly body: (value: string) => string }[] = [
  { name: 'clients of v1', target: '/clients', body: (v) => `{"name": "c", "address": "a", "own": {"deep": [${v}]}}` },
  { name: 'results of v1', target: '/results', body: (v) => `{"name": "c", "output": "o", "own": ${v}}` },
  { name: 'stashes of v1', target: '/stashes', body: (v) => `{"path": "p", "content": {"own": ${v}}}` },
  { name: 'results of mon', target: '/api/mon/v1/results', body: (v) => `[{"name": "c", "output": "o", "own": ${v}}]` },
  {
    name: 'events of v2',
    target: EVENTS,
    body: (v) =>
      `{"entity": {"metadata": {"name": "e"}}, "check": {"metadata": {"name": "c"}, "status": 0, "own": ${v}}}`,
  },
];

const aLargeInteger = fc
  .bigInt({ min: 2n ** 53n, max: 2n ** 70n })
  .chain((magnitude) => fc.constantFrom(String(magnitude), String(-magnitude)));

const deliverNothing = (): Promise<void> => Promise.reject(new Error('delivered'));

describe('numbers', () => {
  test.each(WIRES)(
    'a request about $name with an integer beyond 2^53 is rejected, and the error names the attribute',
    async ({ target, body }) => {
      await fc.assert(
        fc.asyncProperty(aLargeInteger, async (number) => {
          const { status, text } = await ask('POST', target, body(number));
          // In a list of results, each one is accepted or rejected separately.
          expect(status).toBe(target === '/api/mon/v1/results' ? 202 : 400);
          expect(text).toContain('beyond 2^53: put it in double quotes');
        }),
        { numRuns: propertyRuns(10) },
      );
    },
  );

  test('an integer beyond 2^53 in a long body is rejected by name, except in metric values', async () => {
    const output = 'x'.repeat(100_000);
    const number = '9007199254740993';
    const event = (own: string, value: string): string =>
      `{"entity": {"metadata": {"name": "e"}}, "check": {"metadata": {"name": "c"}, "status": 0, "output": "${output}",
        "own": ${own}}, "metrics": {"points": [{"name": "a", "value": ${value}, "timestamp": 1}]}}`;
    const stash = (own: string): string => `{"path": "p", "content": {"own": ${own}, "pad": "${output}"}}`;
    expect((await ask('POST', '/stashes', stash(number))).text).toContain('beyond 2^53: put it in double quotes');
    expect((await ask('POST', '/stashes', stash('1'))).status).toBeLessThan(300);
    const refused = await ask('POST', EVENTS, event(number, '1'));
    expect(refused.status).toBe(400);
    expect(refused.text).toContain('beyond 2^53: put it in double quotes');
    expect((await ask('POST', EVENTS, event('1', number))).status).toBeLessThan(300);
  });

  test.each(WIRES)('a request about $name with exact numbers is accepted', async ({ target, body }) => {
    for (const number of ['9007199254740991', '-9007199254740991', '0.1', '1e15'])
      expect((await ask('POST', target, body(number))).status).toBeLessThan(300);
  });

  test('a number beyond the range of a double in a result of an agent is rejected by name', async () => {
    const agent = await AgentPeer.connect(backend.url);
    await agent.join();
    agent.sayText('{"type":"results","results":[{"id":1,"check":{"name":"c","output":"o","status":0,"own":1e999}}]}');
    expect((await agent.hears('rejected')).error).toContain('beyond 2^53');
  });

  test('a number in a result of a local program that cannot be stored exactly is rejected', async () => {
    for (const number of ['9007199254740993', '1e999']) {
      const message = parseJsonWithRawControls(`{"name": "c", "output": "o", "own": ${number}}`);
      await expect(acceptLocalResults(message, { clock: new ManualClock(), deliver: deliverNothing })).rejects.toThrow(
        '2^53',
      );
    }
  });
});

describe('texts', () => {
  const READERS = {
    'of a request': parseJsonWithRawControls,
    'of a frame': parseJsonStripped,
    'of a file': (text: string) => parseJsonFile(text).value,
  };
  const unit = fc.constantFrom('d800', 'dbff', 'dc00', 'DFFF', '0041', '00e4', '2028');
  const aText = fc.array(unit).map((units) => units.map((code) => String.raw`\u${code}`).join(''));

  test.each(Object.entries(READERS))(
    'the parser %s reads every text and every name as well-formed Unicode, whatever escapes they contain',
    (_name, read) => {
      fc.assert(
        fc.property(aText, (text) => {
          const expected = String(JSON.parse(`"${text}"`)).toWellFormed();
          expect(read(`{"list": ["${text}"], "${text}": true}`)).toEqual({ list: [expected], [expected]: true });
        }),
        { numRuns: propertyRuns(200) },
      );
    },
  );

  test('a lone surrogate in an attribute is stored and shown as U+FFFD', async () => {
    const body = String.raw`{"name": "c", "address": "a", "own": "x\ud800y"}`;
    expect((await ask('POST', '/clients', body)).status).toBe(201);
    expect(JSON.parse((await ask('GET', '/clients/c')).text)).toMatchObject({ own: 'x\u{FFFD}y' });
  });

  test('the APIs use the last of two JSON members with the same name, and configuration files reject them', async () => {
    expect((await ask('POST', '/clients', '{"name": "c", "address": "a", "own": 1, "own": 2}')).status).toBe(201);
    expect(JSON.parse((await ask('GET', '/clients/c')).text)).toMatchObject({ own: 2 });
    const results: SubmittedResult[] = [];
    const deliver = (result: SubmittedResult): Promise<void> => Promise.resolve(void results.push(result));
    const message = parseJsonWithRawControls('{"name": "c", "output": "a", "output": "b"}');
    await acceptLocalResults(message, { clock: new ManualClock(), deliver });
    expect(results).toMatchObject([{ output: 'b' }]);
    expect(() => parseJsonFile('{"a": 1, "a": 2}')).toThrow('is defined twice');
  });
});
