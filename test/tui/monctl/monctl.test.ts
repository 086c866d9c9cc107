import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { VERSION } from '../../../shared/schemas/version.ts';
import { MONCTL, NOW, runMonctl, spawnMonctl } from '../../support/run-monctl.ts';
import { deadUrl, startScriptedServer } from '../../support/scripted-server.ts';
import type { ScriptedServer } from '../../support/scripted-server.ts';

interface EventParts {
  readonly client?: string;
  readonly check?: string;
  readonly status?: number;
  readonly output?: string;
  readonly ageSeconds?: number;
  readonly silenced_by?: readonly string[];
}

function anEvent(parts: EventParts = {}): Record<string, unknown> {
  const {
    client = 'web-001',
    check = 'http',
    status = 2,
    output = 'timeout',
    ageSeconds = 250,
    silenced_by = [],
  } = parts;
  return {
    id: `id-${client}-${check}`,
    client: { name: client, address: '192.0.2.1', subscriptions: ['web'], timestamp: NOW, version: '1.0.0' },
    check: { name: check, output, status, executed: NOW, issued: NOW, history: ['0', '2'], total_state_change: 7 },
    occurrences: 12,
    occurrences_watermark: 12,
    last_ok: null,
    action: 'create',
    timestamp: NOW,
    last_state_change: NOW - ageSeconds,
    silenced: silenced_by.length > 0,
    silenced_by,
  };
}

function aSilence(parts: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 'client:web-001:http',
    subscription: 'client:web-001',
    check: 'http',
    reason: 'CHG-1',
    creator: 'bob',
    begin: null,
    expire_on_resolve: true,
    timestamp: NOW,
    expire: 3600,
    expire_at: NOW + 3600,
    suppressed: 7,
    last_suppressed: NOW - 60,
    ...parts,
  };
}

const EVENTS = [
  anEvent({ client: 'db-014', check: 'postgres-repl', output: 'lag 184 s\nwal sender not streaming' }),
  anEvent({ client: 'web-001', check: 'disk', status: 1, ageSeconds: 7200, output: '91 % used' }),
  anEvent({ client: 'web-002', check: 'http', ageSeconds: 30, output: 'connect timeout' }),
  anEvent({ client: 'web-003', check: 'http', silenced_by: ['web:*'], output: 'known' }),
  anEvent({ client: 'gw-004', check: 'bgp', status: 3, output: 'snmp: no answer' }),
];

/** Starts a scripted service with the v1 API, the events above and one silenced entry. */
async function service(): Promise<ScriptedServer> {
  return await startScriptedServer(({ method, path, body }) => {
    const call = `${method} ${path}`;
    switch (call) {
      case 'GET /events':
        return { status: 200, body: EVENTS };
      case 'GET /events/web-001':
        return { status: 200, body: [EVENTS[1]] };
      case 'GET /events/web-001/disk':
        return { status: 200, body: EVENTS[1] };
      case 'GET /api/mon/v1/silenced':
      case 'GET /api/mon/v1/silenced?filter.check=http':
        return { status: 200, body: [aSilence()] };
      case 'POST /silenced':
        return { status: 201 };
      case 'GET /info':
        return { status: 200, body: { sensu: { version: '1.9.0' }, mon: { version: '1.2.3' } } };
      case 'POST /resolve':
        return JSON.stringify(body) === '{"client":"web-001","check":"disk"}'
          ? { status: 202, body: { issued: 1_795_176_200 } }
          : { status: 404 };
      case 'POST /silenced/clear':
        return { status: JSON.stringify(body) === '{"id":"client:web-001:http"}' ? 204 : 404 };
      default:
        return { status: 404 };
    }
  });
}

test('monctl event list sorts the worst events first and silenced events last, in aligned columns', async () => {
  const { url } = await service();
  const { code, stdout, stderr } = await runMonctl(['event', 'list', '--backend', url]);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(
    [
      'STATUS  CLIENT   CHECK          COUNT  AGE  LAST  STATE     OUTPUT',
      'CRIT    web-002  http              12  30s    0s            connect timeout',
      'CRIT    db-014   postgres-repl     12   4m    0s            lag 184 s',
      'WARN    web-001  disk              12   2h    0s            91 % used',
      'UNKN    gw-004   bgp               12   4m    0s            snmp: no answer',
      'CRIT    web-003  http              12   4m    0s  silenced  known',
      '',
    ].join('\n'),
  );
});

test('monctl event list marks recovering and escalated events, which only the mon API reports', async () => {
  const row = { client: 'web-002', check: 'http', status: 2, action: 'create', occurrences: 12, since: NOW, last: NOW };
  const recovering = { results: 2, since: NOW - 60, last: NOW, after: 3 };
  const escalations = [{ handler: 'page', step: 2, of: 3, at: NOW - 240, due: NOW + 960 }];
  const { url } = await startScriptedServer(({ method, path }) => {
    switch (`${method} ${path}`) {
      case 'GET /events':
        return { status: 200, body: EVENTS };
      case 'GET /events/web-002/http':
        return { status: 200, body: EVENTS[2] };
      case 'GET /api/mon/v1/events?q=recovering+or+escalation%7E*':
        return { status: 200, body: [{ ...row, silenced_by: [], output: 'x', recovering, escalations }] };
      default:
        return { status: 404 };
    }
  });
  const { stdout } = await runMonctl(['event', 'list', '--filter', 'recovering', '--backend', url]);
  expect(stdout).toMatch(/^CRIT +web-002 +http .* recovering, 2 of 3 OK +2\/3 16m +connect timeout$/m);
  const progress = 'page: step 2 of 3 was notified 4m ago, the next one follows in 16m';
  const wide = await runMonctl(['event', 'list', '-q', 'escalation=page', '--output', 'wide', '--backend', url]);
  expect(wide.stdout).toMatch(new RegExp(`^CRIT +web-002 .* 2/3 16m .* ${progress} `, 'm'));
  const info = (await runMonctl(['event', 'info', 'web-002', 'http', '--backend', url])).stdout;
  expect(info).toMatch(/^recovering +2 of 3 OK$/m);
  expect(info).toMatch(new RegExp(`^escalation +${progress}$`, 'm'));
});

test.each([
  [['--client', 'web-001'], ['web-001/disk']],
  [
    ['--check', 'http'],
    ['web-002/http', 'web-003/http'],
  ],
  [
    ['--status', 'warn,unknown'],
    ['web-001/disk', 'gw-004/bgp'],
  ],
  [['--status', '3'], ['gw-004/bgp']],
  [['--silenced'], ['web-003/http']],
  [
    ['--no-silenced', '--status', 'crit'],
    ['web-002/http', 'db-014/postgres-repl'],
  ],
  [['--search', 'status>=warn age>1h'], ['web-001/disk']],
  [
    ['--filter', 'not silenced and (status=crit or client~gw-*)'],
    ['web-002/http', 'db-014/postgres-repl', 'gw-004/bgp'],
  ],
  [['--limit', '1'], ['web-002/http']],
  [['--search', 'nothing-like-this'], []],
])('monctl event list %j lists the matching events', async (options, expected) => {
  const { url } = await service();
  const { code, stdout } = await runMonctl(['event', 'list', '-o', 'json', ...options], { MON_BACKEND: url });
  const listed: { client: { name: string }; check: { name: string } }[] = JSON.parse(stdout);
  expect([code, listed.map(({ client, check }) => `${client.name}/${check.name}`)]).toEqual([0, expected]);
});

test('monctl event list prints the number of omitted rows to stderr, not in the list', async () => {
  const { url } = await service();
  const limited = await runMonctl(['event', 'list', '--limit', '2', '--backend', url]);
  expect([limited.stdout.split('\n').length, limited.stderr]).toEqual([4, '2 of 5 events\n']);
  expect(await runMonctl(['event', 'list', '--check', 'nope', '--backend', url])).toEqual({
    code: 0,
    stdout: '',
    stderr: 'none of 5 events matches\n',
  });
});

test('monctl event info shows one event with its whole output', async () => {
  const { url } = await service();
  const { code, stdout } = await runMonctl(['event', 'info', 'web-001', 'disk', '--backend', url]);
  expect(code).toBe(0);
  expect(stdout).toMatchInlineSnapshot(`
    "client         web-001
    check          disk
    status         WARN (1)
    since          2026-11-20 10:00:00Z (2h ago)
    last result    2026-11-20 12:00:00Z (0s ago)
    last OK        never
    occurrences    12 (at most 12)
    action         create
    history        0 2
    state change   7 %
    silenced by    nothing
    address        192.0.2.1
    subscriptions  web
    id             id-web-001-disk

    91 % used
    "
  `);
});

test('the YAML output of monctl parses back to the same value as its JSON output', async () => {
  const { url } = await service();
  const asYaml = await runMonctl(['event', 'list', '-o', 'yaml', '--backend', url]);
  const asJson = await runMonctl(['event', 'list', '-o', 'json', '--backend', url]);
  expect(parse(asYaml.stdout)).toEqual(JSON.parse(asJson.stdout));
});

test('monctl event resolve prints the event that it resolves', async () => {
  const { url } = await service();
  expect(await runMonctl(['event', 'resolve', 'web-001', 'disk', '--backend', url])).toEqual({
    code: 0,
    stdout: 'resolving web-001/disk, requested at 2026-11-20 12:03:20Z\n',
    stderr: '',
  });
});

test('monctl silence list prints the silences', async () => {
  const { url } = await service();
  const { stdout } = await runMonctl(['silenced', 'list', '--check', 'http', '--backend', url]);
  expect(stdout).toBe(
    [
      'SILENCE              BEGINS        EXPIRES  ON RESOLVE  SUPPRESSED  CREATOR  REASON',
      'client:web-001:http          in 1h, 13:00Z  yes                  7  bob      CHG-1',
      '',
    ].join('\n'),
  );
});

test.each<{ args: string[]; sent: Record<string, unknown>; printed: string }>([
  {
    args: ['--client', 'web-001', '--expire', '1h30m', '--reason', 'CHG-1', '--expire-on-resolve'],
    sent: {
      subscription: 'client:web-001',
      expire: 5400,
      expire_on_resolve: true,
      reason: 'CHG-1',
      creator: `alice@${hostname()}`,
    },
    printed: 'silenced client:web-001:* until 2026-11-20 13:30:00Z or until it resolves\n',
  },
  {
    args: ['--check', 'disk', '--creator', 'cron'],
    sent: { check: 'disk', expire: -1, expire_on_resolve: false, creator: 'cron' },
    printed: 'silenced *:disk until it is deleted\n',
  },
  {
    args: [
      '--subscription',
      'web',
      '--check',
      'disk',
      '--begin',
      '2030-01-01T02:00',
      '--expire',
      '90',
      '--creator',
      'c',
    ],
    sent: {
      subscription: 'web',
      check: 'disk',
      expire: 90,
      begin: 1_893_463_200,
      expire_on_resolve: false,
      creator: 'c',
    },
    printed: 'silenced web:disk from 2030-01-01 02:00:00Z until 2030-01-01 02:01:30Z\n',
  },
])('monctl silence create $args sends the silence and prints its end', async ({ args, sent, printed }) => {
  const { url, seen } = await service();
  const { code, stdout } = await runMonctl(['silenced', 'create', ...args, '--backend', url], { USER: 'alice' });
  // The output continues with a list of what the silence matches, if the backend supports that.
  expect([code, stdout.slice(0, printed.length)]).toEqual([0, printed]);
  const silenced = seen.filter(({ path }) => path === '/silenced');
  expect(silenced.map(({ method, body }) => ({ method, body }))).toEqual([{ method: 'POST', body: sent }]);
});

test.each([[['client:web-001:http']], [['--client', 'web-001', '--check', 'http']]])(
  'monctl silence delete %j ends the silence and prints its id',
  async (args) => {
    const { url } = await service();
    const { code, stdout } = await runMonctl(['silenced', 'delete', ...args, '--backend', url]);
    expect([code, stdout]).toEqual([0, 'deleted client:web-001:http\n']);
  },
);

test('monctl version prints the versions of the program and the backend', async () => {
  const { url } = await service();
  expect((await runMonctl(['version', '--backend', url])).stdout).toBe(
    `monctl   ${VERSION}\nbackend  1.2.3 (API level 1.9.0) at ${url}\n`,
  );
  expect((await runMonctl(['--version'])).stdout).toBe(`${VERSION}\n`);
  const dead = await deadUrl();
  expect(await runMonctl(['version', '-o', 'json'], { MON_BACKEND: dead })).toMatchObject({
    code: 5,
    stdout: expect.stringContaining(`"monctl": "${VERSION}"`),
    stderr: `monctl: cannot reach the backend at ${dead}: nothing listens there: start mon-backend, wait a few seconds if it has just been started, or check the address\n`,
  });
});

test.each<[string[], RegExp]>([
  [['event', 'info', 'web-001', 'nope'], /^monctl: there is no event web-001\/nope\n$/],
  [['event', 'resolve', 'web-001', 'nope'], /^monctl: there is no event web-001\/nope\n$/],
  [['silenced', 'delete', 'web:nope'], /^monctl: there is no silence web:nope: see monctl silence list\n$/],
])('monctl %j for an object that does not exist exits with 3', async (args, message) => {
  const { url } = await service();
  const { code, stdout, stderr } = await runMonctl([...args, '--backend', url]);
  expect([code, stdout]).toEqual([3, '']);
  expect(stderr).toMatch(message);
});

test.each([
  { status: 400, body: { error: 'expire: must be seconds' }, code: 2, message: 'expire: must be seconds' },
  { status: 401, code: 4, message: 'set MON_API_KEY' },
  { status: 403, code: 4, message: 'does not allow POST /silenced' },
  { status: 409, code: 6, message: 'HTTP 409' },
  { status: 500, code: 1, message: 'HTTP 500' },
  { status: 503, body: { error: 'the queue is full: try again' }, code: 5, message: 'the queue is full: try again' },
])('a response with HTTP status $status makes monctl exit with $code', async ({ status, body, code, message }) => {
  const { url } = await startScriptedServer(() => ({ status, ...(body !== undefined && { body }) }));
  const run = await runMonctl(['silenced', 'create', '--check', 'a', '--backend', url]);
  expect([run.code, run.stdout]).toEqual([code, '']);
  expect(run.stderr).toContain(message);
});

test('monctl sends the credentials of the environment', async () => {
  const { url, seen } = await service();
  await runMonctl(['silenced', 'list', '--backend', url], { MON_API_KEY: 'k1' });
  expect(seen[0]?.headers.authorization).toBe('Key k1');
});

test('monctl prints check outputs and texts of the backend without control characters', async () => {
  const hostile = '\u001b]52;c;aGk=\u0007\u001b[2J\u009b31m\u202etxt\r\u0000';
  const event = anEvent({ output: `${hostile}\n${hostile}`, check: 'http' });
  const { url } = await startScriptedServer(({ path }) => {
    if (path === '/events') return { status: 200, body: [event] };
    return path === '/events/web-001/http'
      ? { status: 200, body: event }
      : { status: 400, body: { error: `bad ${hostile}` } };
  });
  const runs = await Promise.all(
    [['list'], ['list', '-o', 'json'], ['list', '-o', 'yaml'], ['info', 'web-001', 'http'], ['info', 'x', 'y']].map(
      (args) => runMonctl(['event', ...args, '--backend', url]),
    ),
  );
  for (const { stdout, stderr } of runs) expect(stdout + stderr).not.toMatch(/[^\P{C}\n]/u);
  expect(JSON.parse(runs[1]?.stdout ?? '')).toEqual([event]);
  expect(parse(runs[2]?.stdout ?? '')).toEqual([event]);

  const raw = await runMonctl(['event', 'info', 'web-001', 'http', '--raw', '--backend', url]);
  expect(raw.stdout).toContain(hostile);
});

test('the monctl program sets its exit code, reads the environment, and prints only the result to stdout', async () => {
  const { url, seen } = await service();
  const found = await spawnMonctl(['event', 'info', 'web-001', 'disk', '-o', 'json'], {
    MON_BACKEND: url,
    MON_CREDENTIALS: 'a:b',
  });
  expect([found.code, JSON.parse(found.stdout), found.stderr]).toEqual([0, EVENTS[1], '']);
  expect(seen[0]?.headers.authorization).toBe(`Basic ${btoa('a:b')}`);
  expect(await spawnMonctl(['evnt'])).toEqual({
    code: 2,
    stdout: '',
    stderr: 'monctl: monctl evnt is no command: did you mean monctl event?\n',
  });
});

test.each([
  [['event', 'list', '--status', 'bad'], /--status must be ok, warn, crit, unknown or a number, not "bad"/],
  [['event', 'list', '--limit', '0'], /--limit must be a whole number of at least 1, not 0/],
  [['event', 'list', '--search', 'status>=x'], /--search: .*\n {2}status>=x\n {2} +\^\n$/],
  [['event', 'list', '--filter', 'not '], /--filter: a search term is missing after "not"\n/],
  [['event', 'list', '-o', 'xml'], /--output must be table, json, yaml, wide, name, csv, jsonpath=PATH, not "xml"/],
  [['event', 'list', '--backend', 'localhost'], /the backend must be a URL like http/],
  [
    ['silenced', 'create', '--reason', 'x'],
    /select what to silence: use --check, --client, --subscription or --selector/,
  ],
  [['silenced', 'create', '--client', 'a', '--subscription', 'b'], /not both/],
  [
    ['silenced', 'create', '--check', 'a', '--expire', 'soon'],
    /--expire "soon" is not a duration: write a duration such as 45s/,
  ],
  [['silenced', 'create', '--check', 'a', '--begin', 'soon'], /"soon" is not a time/],
  [['silenced', 'delete'], /by its ID, or by/],
  [['silenced', 'delete', 'a:b', '--check', 'c'], /by its ID, or by/],
])('monctl %j with invalid options exits with 2 and sends no request', async (args, message) => {
  const { url, seen } = await service();
  const { code, stdout, stderr } = await runMonctl(args, { MON_BACKEND: url });
  expect([code, stdout, seen]).toEqual([2, '', []]);
  expect(stderr).toMatch(message);
});

test('monctl exits without a failure when the reader closes the pipe early', async () => {
  const many = Array.from({ length: 20_000 }, (_, index) => anEvent({ client: `web-${String(index)}` }));
  const { url } = await startScriptedServer(({ path }) =>
    path === '/events' ? { status: 200, body: many } : { status: 404 },
  );
  const script = '"$0" "$1" event list --backend "$2" | head -n 1; wait';
  const shell = spawn('sh', ['-c', script, process.execPath, MONCTL, url], { stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  shell.stdout.on('data', (chunk: Buffer) => void (stdout += chunk.toString('utf8')));
  shell.stderr.on('data', (chunk: Buffer) => void (stderr += chunk.toString('utf8')));
  await once(shell, 'close');
  expect([shell.exitCode, stdout.split('\n').length, stderr]).toEqual([0, 2, '']);
});
