import { expect, onTestFinished, test } from 'vitest';
import { isForWriter, type Endpoint } from '../../shared/api/endpoint.ts';
import { MON_API } from '../../shared/api/mon.ts';
import { V1_API } from '../../shared/api/v1.ts';
import { V2_API } from '../../shared/api/v2.ts';
import { administratorOf } from '../support/administrator.ts';
import { CuttingProxy } from '../support/cutting-proxy.ts';
import type { RunningBackend } from '../support/running-backend.ts';
import { postgresOfFile, startSharing } from '../support/shared-database.ts';

/** Tests of the responses of members while their shared database is unavailable. */

const server = postgresOfFile();

async function ask({ url }: RunningBackend, method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...administratorOf(url) };
  return fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
}

/** Values for the path parameters of the routes; they name existing objects. */
const PLACES: Readonly<Record<string, string>> = { client: 'web', check: 'disk', entity: 'web', namespace: 'default' };

const isEndpoint = (value: object): value is Endpoint => 'method' in value && 'path' in value;

const endpointsOf = (table: object): Endpoint[] =>
  (Object.values(table) as object[]).flatMap((value) => (isEndpoint(value) ? value : endpointsOf(value)));

/** Paths of GET routes that every member serves itself, whether it is the leader or a follower. */
const READS = [V1_API, MON_API, V2_API]
  .flatMap(endpointsOf)
  .filter((endpoint) => endpoint.method === 'GET' && !isForWriter(endpoint))
  .map(({ path }) => path.replaceAll(/:(\w+)/g, (_, name: string) => PLACES[name] ?? 'one'));

const EVENTS = ['/events', '/events/web', '/events/web/disk', '/incidents/web/disk'];

const CHANGES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['POST', '/resolve', { client: 'web', check: 'disk' }],
  ['DELETE', '/events/web/disk'],
  ['POST', '/silenced', { check: 'disk' }],
];

test(
  'every route that needs the database returns 503 with a Retry-After header while the database is unavailable',
  { tags: 'slow' },
  async () => {
    const database = await server().database();
    const backends = [await startSharing(database), await startSharing(database)] as const;
    const [writer, other] = backends;
    await ask(writer, 'POST', '/results', { source: 'web', name: 'disk', output: 'full', status: 2 });
    await ask(writer, 'POST', '/stashes', { path: 'one', content: {} });
    await expect.poll(async () => (await ask(other, 'GET', '/events/web/disk')).status).toBe(200);
    await server().kill();
    onTestFinished(() => server().start());
    for (const backend of backends) {
      const asked = [...READS.map((path) => ['GET', path] as const), ...CHANGES];
      const answers = await Promise.all(
        asked.map(async ([method, path, body]) => {
          const { status, headers } = await ask(backend, method, path, body);
          return { asked: `${method} ${path}`, status, again: headers.get('retry-after') };
        }),
      );
      const failed = answers.filter(({ status }) => status >= 500);
      for (const answer of failed) expect(answer).toMatchObject({ status: 503, again: '1' });
      const refused = [...EVENTS.map((path) => `GET ${path}`), ...CHANGES.map(([method, path]) => `${method} ${path}`)];
      expect(failed.map((answer) => answer.asked)).toEqual(expect.arrayContaining(refused));
    }
  },
);

interface DeepHealth {
  readonly problems: readonly string[];
  readonly indexes: { readonly clients: number; readonly differences: number } | null;
}

async function deepHealthOf(backend: RunningBackend): Promise<DeepHealth> {
  return (await (await ask(backend, 'GET', '/health?deep=1')).json()) as DeepHealth;
}

/** Starts two members whose connections to the database a test can stall. */
async function membersBehindNetwork(): Promise<readonly [network: CuttingProxy, ...members: RunningBackend[]]> {
  const direct = await server().database();
  const network = await CuttingProxy.open(direct.replace('postgres:', 'http:'));
  onTestFinished(() => network[Symbol.asyncDispose]());
  const database = direct.replace(/@[^/]*/, `@${new URL(network.url).host}`);
  return [network, await startSharing(database), await startSharing(database)];
}

test(
  'each member that can take no write says so while the database does not respond, and reads of memory continue',
  { tags: 'slow' },
  async () => {
    const [network, ...members] = await membersBehindNetwork();
    const statuses = (path: string): Promise<number[]> =>
      Promise.all(members.map(async (member) => (await ask(member, 'GET', path)).status));
    await expect.poll(() => statuses('/health')).toEqual([204, 204]);
    network.stall();
    await expect.poll(() => statuses('/health'), { timeout: 15_000 }).toEqual([412, 412]);
    expect(await statuses('/clients')).toEqual([200, 200]);
    for (const member of members) {
      const deep = await deepHealthOf(member);
      expect(deep.problems).toContainEqual(
        expect.stringMatching(/^database down: writes wait: the store postgres:.* not /),
      );
      expect(deep.indexes).toBeNull();
    }
    const { connections } = network;
    expect(connections).toBeLessThanOrEqual(2 * 8);
    network.flow();
    await expect.poll(() => statuses('/health'), { timeout: 15_000 }).toEqual([204, 204]);
  },
);

test('deep health of a follower finds no differences while results change constantly', { tags: 'slow' }, async () => {
  const database = await server().database();
  const writer = await startSharing(database);
  const other = await startSharing(database);
  const ended = new AbortController();
  const load = (async () => {
    for (let round = 0; !ended.signal.aborted; round++) {
      const results = Array.from({ length: 20 }, (_, at) =>
        ask(writer, 'POST', '/results', {
          source: `web-${String(at)}`,
          name: 'disk',
          output: 'x',
          status: (round + at) % 3,
        }),
      );
      await Promise.all(results);
    }
  })();
  let compared = 0;
  for (let probe = 0; probe < 50; probe++) {
    const { problems, indexes } = await deepHealthOf(other);
    expect(problems).toEqual([]);
    if (indexes !== null) compared += indexes.clients;
  }
  expect(compared).toBeGreaterThan(0);
  ended.abort();
  await load;
});
