/** @module-tag slow */
import { expect, test } from 'vitest';
import { replay, type Outcome } from './replay.ts';
import { jsonRequest, readScenario, type Line, type RecordedResponse, type ScenarioName } from './scenario.ts';

/**
 * Other names for the recorded clients, checks and aggregates. The decisions must also hold for changed recordings:
 * with other names, in another order, and with more requests of the same kinds. The responses to added requests are
 * those of Sensu Core to similar requests.
 */
const RENAMED: Readonly<Record<string, string>> = {
  app: 'shop',
  'a%3Ab%7Cc.d': 'eu%3Awest%7Cx.1',
  'a:b|c.d': 'eu:west|x.1',
  c1: 'm-11',
  c3: 'm-33',
  c7: 'm-77',
  disk: 'space',
  dc1: 'rack.7',
  g1: 'blue',
  g2: 'green',
  gone: 'left',
  kah: 'beat',
  'ka-crit': 'hb_3',
  'ka-fresh': 'hb_1',
  'ka-token': 'hb_2',
  many: 'few',
  nostatus: 'bare',
  onlycheck: 'lonely',
  onlysub: 'team-x',
  'page-0': 'srv-0',
  signed: 'sealed',
  strstatus: 'texty',
  ttl1: 'late1',
  ttl3: 'late3',
  ttl5: 'late5',
  ttl6: 'late6',
  ttlproxy: 'switch-9',
};

/** Replaces names in the JSON of the lines, as whole words and also in subscriptions such as `client:NAME`. */
function renamed(lines: readonly Line[], names: Readonly<Record<string, string>> = RENAMED): Line[] {
  const words = Object.keys(names).map((name) => name.replaceAll(/[.|]/g, String.raw`\$&`));
  const pattern = new RegExp(
    `(?<![\\w.|-])(?:${words.toSorted((a, b) => b.length - a.length).join('|')})(?![\\w.|-])`,
    'g',
  );
  return lines.map(
    (line) => JSON.parse(JSON.stringify(line).replaceAll(pattern, (name) => names[name] ?? name)) as Line,
  );
}

/**
 * Returns a function that creates a recorded line from a request and the response of Sensu Core. The other properties
 * are those of the line that it gets.
 */
function recorded(
  [method, path, body]: readonly [method: string, path: string, body?: unknown],
  [status, answered = '']: readonly [status: number, body?: unknown],
  page?: object,
): (like: Line) => Line {
  return (like) => {
    const headers = {
      ...(like.kind === 'exchange' ? corsOf(like.answer) : {}),
      ...(page === undefined ? {} : { 'X-Pagination': JSON.stringify(page) }),
    };
    const answer = { status, headers, body: answered, isPlain: false };
    const request = jsonRequest(method, path, body);
    return { ...like, kind: 'exchange', case: `${method} ${path}`, before: [], request, answer };
  };
}

function corsOf({ headers }: RecordedResponse): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('Access-')));
}

function bytes(text: string, status: number): (like: Line) => Line {
  return (like) => ({
    ...like,
    kind: 'raw',
    case: text,
    before: [],
    bytes: text,
    answer: { status, headers: {}, body: '', isPlain: false },
  });
}

/** Returns the lines of a scenario with additional lines inserted after line number `after`. */
function withLines(file: ScenarioName, after: number, added: readonly ((like: Line) => Line)[]): Line[] {
  const lines = readScenario(file);
  const like = lines.slice(0, after).findLast(({ kind }) => kind === 'exchange');
  if (like === undefined) throw new Error(`no exchange before line ${String(after)} of ${file}`);
  return lines.toSpliced(after, 0, ...added.map((line) => line(like)));
}

function tooFew(consumers: number): string[] {
  return ['keepalive', 'result'].map((pipe) => `${pipe} consumers (0) less than min_consumers (${String(consumers)})`);
}

const DB_SILENCE = {
  id: 'db:load.avg',
  subscription: 'db',
  check: 'load.avg',
  reason: null,
  creator: null,
  begin: null,
  expire_on_resolve: false,
  timestamp: 1_795_176_250,
  expire: -1,
};

/** Returns the line with a total that is higher by `count`, if it is a page of results; otherwise the same line. */
function countingMore(line: Line, count: number): Line {
  if (line.kind !== 'exchange' || !line.request.path.startsWith('/results?limit')) return line;
  const page = JSON.parse(line.answer.headers['X-Pagination'] ?? '{}') as { readonly total: number };
  const headers = {
    ...line.answer.headers,
    'X-Pagination': JSON.stringify({ ...page, total: page.total + count }),
  };
  return { ...line, answer: { ...line.answer, headers } };
}

async function wrongOf(file: ScenarioName, lines: readonly Line[]): Promise<readonly Outcome[]> {
  return (await replay(file, lines)).filter(({ kind }) => kind === 'different');
}

test.each<ScenarioName>(['aggregates', 'checks', 'clients', 'results', 'silenced'])(
  'a recording of %s with renamed objects needs only the same documented deviations as the original',
  async (file) => {
    const lines = readScenario(file);
    expect(JSON.stringify(renamed(lines))).not.toBe(JSON.stringify(lines));
    const [before, after] = [await replay(file), await replay(file, renamed(lines))];
    expect(after.filter(({ kind }) => kind === 'different')).toEqual([]);
    expect(after.map(({ kind }) => kind)).toEqual(before.map(({ kind }) => kind));
  },
);

test('a recording of keepalives and TTLs with renamed objects needs only the documented deviations', async () => {
  expect(await wrongOf('keepalive_ttl', renamed(readScenario('keepalive_ttl')))).toEqual([]);
});

test('a recording without its first four lines still matches, because no documented deviation counts lines', async () => {
  // The first four lines only read. Without them, every other line gets a different number.
  const lines = readScenario('misc')
    .slice(4)
    .map((line, index) => Object.assign(line, { number: index + 1 }));
  expect(await wrongOf('misc', lines)).toEqual([]);
});

test('a GET with percent-encoded names in its path gets the response of the decoded path', async () => {
  const added = [
    recorded(['GET', '/clients/m%69n'], [404]),
    recorded(['GET', '/clients/min%2Fhistory'], [404]),
    recorded(['GET', '/events/%E2%98%83'], [404]),
    recorded(['GET', '/results/m%69n'], [404]),
    recorded(['GET', '/%72esults'], [404]),
    recorded(['HEAD', '/clients/%6din'], [404]),
    recorded(['GET', '/clients/%6d%69%6e/history'], [404]),
    recorded(['GET', '/no%20where'], [404]),
  ];
  expect(await wrongOf('clients', withLines('clients', 111, added))).toEqual([]);
});

test('requests with unknown methods and bytes that are not HTTP are rejected by the HTTP parser', async () => {
  const added = [
    recorded(['Get', '/results'], [405]),
    recorded(['FETCH', '/clients/x'], [404]),
    bytes('GET /info\r\n\r\n', 400),
    bytes('GET /info HTTP/1.1\nHost: localhost\n\n', 200),
    bytes('GET /clients HTTP/1.1\r\nHost: localhost\r\nno colon here\r\n\r\n', 200),
    bytes('DELETE /clients/x HTTP/1.1\r\n\r\n', 404),
    bytes('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n', 204),
  ];
  expect(await wrongOf('misc', withLines('misc', 58, added))).toEqual([]);
});

test('GET /health counts consumers whatever the query contains, and GET /settings redacts secrets in every list', async () => {
  const added = [
    recorded(['GET', '/health?consumers=5'], [412, tooFew(5)]),
    recorded(['GET', '/health?messages=3&consumers=1'], [412, tooFew(1)]),
  ];
  expect(await wrongOf('misc', withLines('misc', 9, added))).toEqual([]);
});

test('POST /clients accepts or rejects a keepalive object by its content, where Sensu Core fails with 500', async () => {
  const crash = [500, ''] as const;
  const added = [
    recorded(['POST', '/clients', { name: 'k2', address: 'x', keepalive: { handlers: ['file', 'keepalive'] } }], crash),
    recorded(['POST', '/clients', { name: 'k3', address: 'x', keepalive: { thresholds: { warning: 'soon' } } }], crash),
    recorded(['POST', '/clients', { name: 'k4', address: 'x', keepalive: { handlers: 'file' } }], crash),
    recorded(['GET', '/clients/k2'], [404]),
  ];
  expect(await wrongOf('clients', withLines('clients', 8, added))).toEqual([]);
});

test('results with an invalid source or number are rejected and not counted in later lists and totals', async () => {
  const accepted = [202, { issued: 1_795_176_183 }] as const;
  const result = { name: 'v', output: 'o' };
  const added = [
    recorded(['POST', '/results', { ...result, source: 'two words' }], accepted),
    recorded(['POST', '/results', { ...result, source: '..' }], accepted),
    recorded(['POST', '/results', { ...result, source: 'fine-1', count: 2 ** 60 }], accepted),
    recorded(['GET', '/results/fine-1'], [200, [{ client: 'fine-1', check: { ...result, source: 'fine-1' } }]]),
    recorded(['GET', '/results/fine-1/v'], [200, { client: 'fine-1', check: { ...result, source: 'fine-1' } }]),
  ];
  // From that line on, the lists of Sensu Core would contain the three added results, which this backend has rejected.
  const lines = withLines('results', 149, added).map((line) => countingMore(line, 3));
  expect(await wrongOf('results', lines)).toEqual([]);
});

test('an aggregate whose name contains "|" no longer counts deleted members', async () => {
  const result = { output: 'o', status: 2, aggregate: 'p|q', handle: false };
  const accepted = [202, { issued: 1_795_176_188 }] as const;
  const counts = { ok: 0, warning: 0, critical: 1, unknown: 0, total: 1, stale: 0 };
  const added = [
    recorded(['POST', '/results', { ...result, name: 'a', source: 'x1' }], accepted),
    recorded(['POST', '/results', { ...result, name: 'b', source: 'x2', status: 7 }], accepted),
    recorded(['GET', '/aggregates/p|q'], [404]),
    recorded(['GET', '/aggregates/p%7Cq'], [404]),
    recorded(['GET', '/aggregates/p|q/clients'], [404, []]),
    recorded(['DELETE', '/results/x2/b'], [204]),
    recorded(['GET', '/aggregates/p|q'], [404]),
    recorded(['POST', '/results', { ...result, name: 'a', source: 'y1', aggregate: 'plain' }], accepted),
    recorded(['POST', '/results', { ...result, name: 'a', source: 'y2', aggregate: 'plain' }], accepted),
    recorded(['DELETE', '/results/y2/a'], [204]),
    recorded(['GET', '/aggregates/plain'], [200, { clients: 2, checks: 1, results: counts }]),
    recorded(['DELETE', '/results/y1/a'], [204]),
    recorded(
      ['GET', '/aggregates/plain'],
      [200, { clients: 1, checks: 1, results: { ...counts, critical: 0, total: 0 } }],
    ),
    recorded(['DELETE', '/results/x1/a'], [204]),
  ];
  expect(await wrongOf('aggregates', withLines('aggregates', 19, added))).toEqual([]);
});

test('a silence is found by its exact name only and can be deleted by its id', async () => {
  const added = [
    recorded(['POST', '/silenced', { subscription: 'db', check: 'load.avg' }], [201]),
    recorded(['GET', '/silenced/ids/b:load.avg'], [200, DB_SILENCE]),
    recorded(['GET', '/silenced/ids/load_avg'], [404]),
    recorded(['GET', '/silenced/ids/db%3Aload.avg'], [404]),
    recorded(['GET', '/silenced/checks/load'], [200, []]),
    recorded(['GET', '/silenced/checks/.oad.avg'], [200, [DB_SILENCE]]),
    recorded(['DELETE', '/silenced/ids/db:load.avg'], [405]),
    recorded(['DELETE', '/silenced/ids/none:here'], [405]),
    recorded(['GET', '/silenced/ids/db:load.avg'], [200, DB_SILENCE]),
    recorded(['POST', '/silenced', { subscription: 'never', expire: -7 }], [201]),
    recorded(['GET', '/silenced/ids/never:*'], [404]),
    recorded(['POST', '/silenced', { subscription: 'always', expire: -1 }], [201]),
    recorded(['GET', '/silenced/ids/always:*'], [404]),
    recorded(['POST', '/silenced/clear', { subscription: 'db', check: 'load.avg' }], [204]),
  ];
  expect(await wrongOf('silenced', withLines('silenced', 16, added))).toEqual([]);
});

test('a deleted client disappears at once and is created again by its next result', async () => {
  const client = { name: 'late', address: 'a', keepalives: false, version: '1.9.0', timestamp: 1_795_176_153 };
  const stored = { ...client, subscriptions: ['client:late'] };
  const added = [
    recorded(['POST', '/clients', { name: 'late', address: 'a' }], [201, { name: 'late' }]),
    recorded(['DELETE', '/clients/late'], [202, { issued: 1_795_176_158 }]),
    recorded(['GET', '/clients/late'], [200, stored]),
    recorded(['GET', '/clients/late/history'], [200, []]),
    recorded(['POST', '/clients', { name: 'late', address: 'a' }], [201, { name: 'late' }]),
    recorded(['GET', '/clients/late'], [200, stored]),
    recorded(['DELETE', '/clients/late'], [202, { issued: 1_795_176_158 }]),
  ];
  expect(await wrongOf('clients', withLines('clients', 131, added))).toEqual([]);
});
