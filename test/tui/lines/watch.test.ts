import { describe, expect, test, vi } from 'vitest';
import { watchEvents, type WatchOptions } from '../../../tui/lines/watch.ts';
import { byKey } from '../../support/console-rig.ts';
import { SCENE } from '../../support/console-scene.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { FEED_HELLO, startFeedServer, type FeedServer } from '../../support/feed-server.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const NOW = FEED_HELLO.time / 1000;
const event = (client: string, status: number, output = 'full') =>
  anEventRow({ client, check: 'disk', status, since: NOW - 120, last: NOW, output });

interface Watching {
  readonly server: FeedServer;
  readonly clock: ManualClock;
  readonly warnings: readonly string[];
  readonly code: Promise<number>;
  readonly lines: () => readonly string[];
  isDrained: boolean;
}

async function startWatch(
  options: Partial<WatchOptions> = {},
  rows = byKey([event('web-1', 2), event('db-1', 1)]),
  refusal?: number,
): Promise<Watching> {
  const server = await startFeedServer({
    onSubscribe: (connection, { since }) => {
      if (since === undefined) connection.send({ type: 'snapshot', seq: 1, rows: { events: rows } });
      connection.send({ type: 'live', seq: 1 });
    },
  });
  server.refuse(refusal);
  const clock = new ManualClock(FEED_HELLO.time);
  let text = '';
  const warnings: string[] = [];
  const watching = { isDrained: true };
  const code = watchEvents(
    { backend: server.url, filter: '', once: false, json: false, ...options },
    {
      clock,
      write: (more) => {
        text += more;
        return true;
      },
      isDrained: () => watching.isDrained,
      warn: (warning) => void warnings.push(warning),
      random: () => 0.5,
    },
  );
  return Object.assign(watching, {
    server,
    clock,
    warnings,
    code,
    lines: () => text.split('\n').filter((line) => line !== ''),
  });
}

async function change(
  watching: Watching,
  seq: number,
  rows: Readonly<Record<string, ReturnType<typeof event> | null>>,
) {
  const connection = await watching.server.connection(0);
  connection.send({ type: 'changes', seq, time: FEED_HELLO.time, rows: { events: rows } });
}

/** Waits until `mon watch` has printed exactly these lines. */
async function expectLines(watching: Watching, expected: readonly unknown[]): Promise<void> {
  await vi.waitFor(() => {
    watching.clock.advance(0);
    expect(watching.lines()).toEqual(expected);
  });
}

describe('mon watch', () => {
  test('mon watch prints the current events, the worst first, and then one line for each change', async () => {
    const watching = await startWatch();
    const begin = [
      '2026-11-20T12:00:00Z critical: disk on web-1, 2 minutes: full',
      '2026-11-20T12:00:00Z warning: disk on db-1, 2 minutes: full',
    ];
    await expectLines(watching, begin);
    await change(watching, 2, { 'db-1/disk': event('db-1', 2), 'web-1/disk': null });
    await vi.waitFor(() => {
      watching.clock.advance(100);
      expect(watching.lines()).toHaveLength(4);
    });
    expect(
      watching
        .lines()
        .slice(2)
        .map((line) => line.slice(21)),
    ).toEqual(expect.arrayContaining(['critical: disk on db-1, 2 minutes: full', 'resolved: disk on web-1']));
  });

  test('mon watch with JSON output prints one document per line, without control characters', async () => {
    const watching = await startWatch({ json: true }, byKey([event('web-1', 2, 'a\u001B[2J\u009B\u202Eb')]));
    await vi.waitFor(() => expect(watching.lines()).toHaveLength(1));
    const [line = ''] = watching.lines();
    expect(JSON.parse(line)).toEqual({
      time: '2026-11-20T12:00:00.000Z',
      change: 'critical',
      initial: true,
      event: event('web-1', 2, 'a\u001B[2J\u009B\u202Eb'),
    });
    expect(line).toMatch(/^[ -~]*$/);
  });

  test('mon watch requests only the events that its filter matches, in the namespace of its context', async () => {
    const watching = await startWatch({ filter: 'status>=crit web', namespace: 'team-a' });
    const connection = await watching.server.connection(0);
    const wanted = { topics: ['events'], filter: 'status>=crit web', namespace: 'team-a' };
    expect(await connection.subscribed()).toMatchObject(wanted);
  });

  test('a slow reader of mon watch gets the newest state of each event once the reader catches up', async () => {
    const watching = await startWatch();
    await vi.waitFor(() => expect(watching.lines()).toHaveLength(2));
    watching.isDrained = false;
    await change(watching, 2, { 'db-1/disk': event('db-1', 2) });
    await change(watching, 3, { 'db-1/disk': event('db-1', 3), 'x/disk': event('x', 1) });
    await change(watching, 4, { 'x/disk': null });
    // The pong shows that all earlier messages have arrived.
    const connection = await watching.server.connection(0);
    connection.send({ type: 'ping' });
    await vi.waitFor(() => expect(connection.received.at(-1)).toEqual({ type: 'pong' }));
    watching.clock.advance(1000);
    expect(watching.lines()).toHaveLength(2);
    watching.isDrained = true;
    watching.clock.advance(100);
    expect(watching.lines().slice(2)).toEqual(['2026-11-20T12:00:01Z unknown: disk on db-1, 2 minutes: full']);
  });

  test.each([
    { name: 'no event matches', rows: {}, code: 0 },
    { name: 'events match', rows: SCENE.events ?? {}, code: 8 },
  ])('mon watch --once exits with code $code when $name', async ({ rows, code }) => {
    const watching = await startWatch({ once: true }, rows as Record<string, ReturnType<typeof event>>);
    expect(await watching.code).toBe(code);
    expect(watching.lines()).toHaveLength(Object.keys(rows).length);
  });

  test.each([
    { name: 'requires credentials', refusal: 401, code: 4 },
    { name: 'is unavailable', refusal: 503, code: 5 },
  ])('mon watch --once exits with code $code when the backend $name', async ({ refusal, code }) => {
    const watching = await startWatch({ once: true }, {}, refusal);
    expect(await watching.code).toBe(code);
    expect(watching.warnings).toHaveLength(1);
  });

  test('mon watch rejects an invalid filter and points out its position', async () => {
    const watching = await startWatch({ filter: 'web statsu=crit' });
    expect(await watching.code).toBe(2);
    expect(watching.warnings[0]).toMatch(/^--filter, at character 5: /);
  });

  test('mon watch reconnects after a lost connection and prints only the differences', async () => {
    const watching = await startWatch();
    await vi.waitFor(() => expect(watching.lines()).toHaveLength(2));
    (await watching.server.connection(0)).cut();
    await vi.waitFor(() => {
      watching.clock.advance(500);
      expect(watching.server.connections).toHaveLength(2);
    });
    expect(watching.warnings).toHaveLength(1);
    const connection = await watching.server.connection(1);
    connection.send({ type: 'changes', seq: 2, time: FEED_HELLO.time, rows: { events: { 'web-1/disk': null } } });
    await vi.waitFor(() => {
      watching.clock.advance(100);
      expect(watching.lines().at(-1)).toMatch(/resolved: disk on web-1$/);
    });
    expect(watching.lines()).toHaveLength(3);
  });
});
