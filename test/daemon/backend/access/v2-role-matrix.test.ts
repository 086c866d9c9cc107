import { afterAll, beforeAll, expect, test } from 'vitest';
import { V2Peer } from '../../../support/v2-peer.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

/** The columns: users with a single built-in role, in the namespace `prod` or in all namespaces. */
const COLUMNS = [
  'no role',
  'view in prod',
  'edit in prod',
  'admin in prod',
  'view',
  'edit',
  'admin',
  'cluster-admin',
] as const;

const OBJECTS = 'assets|checks|entities|events|filters|handlers|hooks|mutators|silenced';
const WITHIN = 'namespaces/:namespace';

/**
 * The expected responses in the order of the columns, for the namespace `prod` in the path. `in` means admitted,
 * whatever happens then; otherwise it is the status of the rejection. Patterns match routes without the common prefix,
 * and the first match applies.
 */
const ROWS: readonly (readonly [routes: RegExp, cells: string])[] = [
  [new RegExp(`^GET ${WITHIN}/(?:${OBJECTS})(?:/|$)`), '403 in in in in in in in'],
  [new RegExp(`^(?:POST|PUT|PATCH|DELETE) ${WITHIN}/(?:${OBJECTS})(?:/|$)`), '403 403 in in 403 in in in'],
  [new RegExp(`^\\w+ ${WITHIN}/(?:roles|rolebindings)(?:/|$)`), '403 403 403 in 403 403 in in'],
  [new RegExp(`^GET ${WITHIN}$`), '403 in in in in in in in'],
  [/^GET namespaces$/, '403 in in in in in in in'],
  [new RegExp(`^GET (?:${OBJECTS})$`), '403 403 403 403 in in in in'],
  // As in Sensu Go, no built-in role of a namespace includes pipelines; a reader of everything in all
  // namespaces may read them.
  [new RegExp(`^GET (?:${WITHIN}/)?pipelines(?:/|$)`), '403 403 403 403 in in in in'],
  [new RegExp(`^POST (?:${OBJECTS})$`), '403 403 403 403 403 in in in'],
  [/^\w+ (?:roles|rolebindings)$/, '403 403 403 403 403 403 in in'],
  // All other routes: namespaces, users, keys, cluster roles, and objects of the backend itself.
  [/^/, '403 403 403 403 403 403 403 in'],
];

const PREFIX = '/api/core/v2/';
const ROOT = { authorization: `Basic ${btoa('root:long enough')}` };

let backend: RunningBackend;
const keys = new Map<string, string>();

async function keyOf(column: string): Promise<string> {
  const root = new V2Peer(backend.url, ROOT);
  const username = column.replaceAll(' ', '-');
  await root.put(`/users/${username}`, { username, password: 'long enough', groups: [] });
  const [role = '', , namespace] = column.split(' ');
  if (role !== 'no') {
    const path = namespace === undefined ? '/clusterrolebindings' : `/namespaces/${namespace}/rolebindings`;
    expect(
      await root.post(path, {
        subjects: [{ type: 'User', name: username }],
        role_ref: { type: 'ClusterRole', name: role },
        metadata: { name: `of-${username}`, ...(namespace !== undefined && { namespace }) },
      }),
    ).toMatchObject({ status: 201 });
  }
  return ((await root.post('/apikeys', { username })).body as { readonly key: string }).key;
}

beforeAll(async () => {
  backend = await startBackend({
    batcher: { lingerMs: 0 },
    settings: { api: { user: 'root', password: 'long enough' } },
  });
  const root = new V2Peer(backend.url, ROOT);
  await root.post('/namespaces', { name: 'prod' });
  // A namespace with objects cannot be deleted, so `prod` survives the requests of the test.
  const metadata = { name: 'kept', namespace: 'prod' };
  await root.put('/namespaces/prod/checks/kept', { command: 'true', interval: 60, metadata });
  for (const column of COLUMNS) keys.set(column, await keyOf(column));
});

afterAll(() => backend[Symbol.asyncDispose]());

test('each built-in role has exactly the expected rights on every route of the v2 API', async () => {
  const answer = await fetch(`${backend.url}/api/mon/v1/access`, { headers: ROOT });
  const { routes } = (await answer.json()) as { readonly routes: readonly { method: string; url: string }[] };
  const asked = routes.flatMap(({ method, url }) =>
    url.startsWith(PREFIX) ? [{ method, url: url.slice(PREFIX.length) }] : [],
  );
  const found: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const { method, url } of asked) {
    const route = `${method} ${url}`;
    const target = `${PREFIX}${url.replace(':namespace', 'prod').replaceAll(/:\w+/g, 'none')}`;
    const cells: string[] = [];
    for (const column of COLUMNS) {
      const headers = { Authorization: `Key ${keys.get(column) ?? ''}` };
      const { status } = await fetch(`${backend.url}${target}`, { method, headers });
      cells.push([401, 403].includes(status) ? String(status) : 'in');
    }
    found[route] = cells.join(' ');
    expected[route] = ROWS.find(([pattern]) => pattern.test(route))?.[1] ?? '';
  }
  expect(asked.length).toBeGreaterThan(100);
  expect(found).toEqual(expected);
});
