/** @module-tag slow */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import type { EventRow } from '../../../shared/schemas/feed.ts';
import { asking } from '../../support/asking.ts';
import { FeedPeer } from '../../support/feed-peer.ts';
import { peerKeyFile, postgresOfFile } from '../../support/shared-database.ts';
import { startDaemon, type DaemonProcess } from '../../support/start-daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Tests of groups, inhibitions and aggregate rules in a cluster. */

const server = postgresOfFile();

const INHIBITIONS = {
  'switch-down': { source: 'check=uplink status=crit', target: 'check!=uplink', equal: ['client.rack'] },
};
const HOSTS = Array.from({ length: 8 }, (_, at) => `host-${String(at)}`);

interface NotifiedGroup {
  readonly group: { readonly by: object };
  readonly events: readonly { readonly change: string; readonly client: { name: string }; check: { name: string } }[];
}

/** A member that runs as a separate process, so that the test can kill it. */
interface Member {
  readonly daemon: DaemonProcess;
  readonly api: ApiClient;
  readonly feed: FeedPeer;
}

/** Two members with the same configuration; `writer` is the leader. */
class Pair {
  readonly writer: Member;
  readonly other: Member;
  readonly #configFile: string;
  readonly #notificationsFile: string;

  private constructor(dir: string, writer: Member, other: Member) {
    this.writer = writer;
    this.other = other;
    this.#configFile = join(dir, 'backend.json');
    this.#notificationsFile = join(dir, 'notifications');
  }

  static async open(settings: object, groupWait: number): Promise<Pair> {
    const dir = await tempDir();
    const [configFile, file] = [join(dir, 'backend.json'), join(dir, 'notifications')];
    const handler = {
      type: 'pipe',
      command: `tr -d '\\n' >> ${file} && echo >> ${file}`,
      group_by: ['client.rack'],
      group_wait: groupWait,
      group_interval: 1,
      concurrency: 1,
    };
    const common = { 'peer-key-file': await peerKeyFile(), handlers: { default: handler } };
    await writeFile(configFile, JSON.stringify({ ...common, ...settings }));
    const database = await server().database();
    const start = async (): Promise<Member> => {
      const daemon = await startDaemon({
        stateDir: await tempDir(),
        args: ['--config', configFile],
        env: { MON_STORE: database },
      });
      onTestFinished(() => daemon[Symbol.asyncDispose]());
      const feed = await FeedPeer.subscribe(daemon.url);
      onTestFinished(() => feed.socket.terminate());
      return { daemon, api: openApiClient({ backend: daemon.url }), feed };
    };
    const writer = await start();
    return new Pair(dir, writer, await start());
  }

  get both(): readonly [Member, Member] {
    return [this.writer, this.other];
  }

  /** Replaces the inhibition rules in the configuration, and makes both members reload it. */
  async inhibit(inhibitions: object): Promise<void> {
    const settings = JSON.parse(await readFile(this.#configFile, 'utf8')) as object;
    await writeFile(this.#configFile, JSON.stringify({ ...settings, inhibitions }));
    for (const { daemon } of this.both) process.kill(daemon.pid, 'SIGHUP');
  }

  async saveClients(rack: string, names: readonly string[]): Promise<void> {
    await Promise.all(names.map((name) => this.writer.api.saveClient({ name, address: '192.0.2.1', rack })));
  }

  /** Sends one result for each source, alternately to the follower and the leader. */
  async report(check: string, status: number, sources: readonly string[]): Promise<void> {
    await Promise.all(
      sources.map((source, at) =>
        (at % 2 === 0 ? this.other : this.writer).api.submitResult({ source, name: check, output: 'x', status }),
      ),
    );
  }

  /** Returns one line per handler run that summarizes its notification: the group and the changes of its events. */
  async notifications(): Promise<string[]> {
    const text = await readFile(this.#notificationsFile, 'utf8').catch(() => '');
    return text.split('\n').flatMap((line) => {
      if (!line.endsWith('}')) return [];
      const { group, events } = JSON.parse(line) as NotifiedGroup;
      const listed = events.map(({ change, client, check }) => `${client.name}/${check.name} ${change}`);
      return `${JSON.stringify(group.by)}: ${listed.toSorted().join()}`;
    });
  }
}

const notificationOf = (rack: string, events: readonly string[]): string =>
  `{"client.rack":"${rack}"}: ${events.map((event) => `${event} new`).join()}`;

/** Returns for each event which event inhibits it and how many groups contain it, according to the feed of a member. */
const shownNoise = ({ feed }: Member): unknown =>
  Object.fromEntries(
    Array.from(feed.replica.events, ([key, { inhibited_by: by, groups }]: [string, EventRow]) => [
      key,
      [by && `${by.rule}: ${by.client}/${by.check}`, groups?.length ?? 0],
    ]),
  );

test('two members send one notification for a failing switch, and the pending ones when the inhibition rule is removed', async () => {
  const pair = await Pair.open({ inhibitions: INHIBITIONS }, 2);
  const notifications = (): Promise<string[]> => pair.notifications();
  await pair.saveClients('a', ['switch', ...HOSTS]);
  await pair.saveClients('b', ['web-0', 'web-1', 'web-2']);
  await pair.report('ping', 2, HOSTS.slice(0, 3));
  await pair.report('uplink', 2, ['switch']);
  await pair.report('ping', 2, HOSTS);
  await pair.report('http', 2, ['web-0', 'web-1', 'web-2']);

  const quiet = 'switch-down: switch/uplink';
  for (const member of pair.both) {
    await vi.waitFor(() =>
      expect(shownNoise(member)).toMatchObject({
        'switch/uplink': [undefined, 1],
        ...Object.fromEntries(HOSTS.map((host) => [`${host}/ping`, [quiet, expect.any(Number)]])),
        'web-2/http': [undefined, 1],
      }),
    );
    await vi.waitFor(async () =>
      expect(await member.api.inhibitions()).toMatchObject([
        { name: 'switch-down', inhibited: HOSTS.length, inhibitors: [{ client: 'switch', inhibited: HOSTS.length }] },
      ]),
    );
  }
  await vi.waitFor(async () => expect(await notifications()).toHaveLength(2));
  const web = ['web-0/http', 'web-1/http', 'web-2/http'];
  expect((await notifications()).toSorted()).toEqual([
    notificationOf('a', ['switch/uplink']),
    notificationOf('b', web),
  ]);
  await vi.waitFor(async () =>
    expect(await pair.other.api.handlerGroups()).toEqual(await pair.writer.api.handlerGroups()),
  );
  expect(await pair.other.api.handlerGroups()).toMatchObject([
    { by: { 'client.rack': 'a' }, firing: 1, pending: 0 },
    { by: { 'client.rack': 'b' }, firing: 3, pending: 0 },
  ]);

  await pair.inhibit({});
  await vi.waitFor(async () => expect(await notifications()).toHaveLength(3));
  expect((await notifications()).at(-1)).toContain(HOSTS.map((host) => `${host}/ping new`).join());
  for (const member of pair.both) {
    await vi.waitFor(() =>
      expect(shownNoise(member)).toMatchObject(
        Object.fromEntries(HOSTS.map((host) => [`${host}/ping`, [undefined, 1]])),
      ),
    );
    await vi.waitFor(async () => expect(await member.api.inhibitions()).toEqual([]));
  }

  await pair.inhibit(INHIBITIONS);
  for (const member of pair.both) {
    await vi.waitFor(async () =>
      expect(await member.api.inhibitions()).toMatchObject([
        { inhibitors: [{ client: 'switch', inhibited: HOSTS.length }] },
      ]),
    );
  }
  await pair.report('ping', 2, HOSTS);
  for (const member of pair.both) {
    await vi.waitFor(async () => expect(await member.api.inhibitions()).toMatchObject([{ inhibited: HOSTS.length }]));
  }
});

test('a follower that becomes leader after a kill sends the pending notifications once', async () => {
  const pair = await Pair.open({ inhibitions: INHIBITIONS }, 4);
  await pair.saveClients('a', ['switch', ...HOSTS]);
  await pair.report('ping', 2, HOSTS.slice(0, 3));
  await pair.report('uplink', 2, ['switch']);
  await pair.report('http', 2, ['web-0', 'web-1']);
  await pair.writer.daemon.end('SIGKILL');
  expect(await pair.notifications()).toEqual([]);
  await vi.waitFor(async () => expect(await pair.notifications()).toHaveLength(2));
  const { api } = pair.other;
  await vi.waitFor(async () => {
    for (const group of await api.handlerGroups()) expect(group).toMatchObject({ pending: 0 });
    expect(await api.handlers()).toMatchObject([{ name: 'default', queued: 0, running: 0, dead_letters: 0 }]);
  });
  expect((await pair.notifications()).toSorted()).toEqual([
    notificationOf('', ['web-0/http', 'web-1/http']),
    notificationOf('a', ['switch/uplink']),
  ]);
});

test('an aggregate rule opens one event in each namespace, and both members show the events', async () => {
  const pair = await Pair.open({ 'aggregate-rules': { shop: { critical: 2, namespace: '*' } } }, 0);
  const ofWriter = asking(pair.writer.daemon.url);
  const ofOther = asking(pair.other.daemon.url);
  expect((await ofOther('PUT', '/api/core/v2/namespaces/prod', { name: 'prod' })).status).toBeLessThan(300);
  const about = { name: 'http', output: 'x', status: 2, aggregate: 'shop' };
  const results = [
    { source: 'web-0', ...about },
    { source: 'web-1', ...about },
  ];
  for (const [namespace, ask] of [['default', ofOther] as const, ['prod', ofWriter] as const]) {
    expect((await ask('POST', `/api/mon/v1/results?namespace=${namespace}`, results)).status).toBe(202);
    const idAt = async ({ daemon }: Member): Promise<string> => {
      const event = await openApiClient({ backend: daemon.url, namespace }).event('mon.aggregates', 'shop');
      expect(event?.check.status).toBe(2);
      return String(event?.id);
    };
    await vi.waitFor(async () => expect(await idAt(pair.writer)).toBe(await idAt(pair.other)));
  }
  // Handlers of the configuration belong to the namespace `default`, so only the event in that namespace is notified.
  const ofRule = async (): Promise<readonly string[]> =>
    (await pair.notifications()).filter((line) => line.includes('shop new'));
  await vi.waitFor(async () => expect(await ofRule()).toHaveLength(1));
});
