import { at, itemsOf } from '../decision.ts';
import { onRequest, requestsBefore, type Decision, type Recorded } from './decision.ts';
import type { Exchange } from './recording.ts';

const CORE = '/api/core/v2';
const NAMESPACES = `${CORE}/namespaces`;
const BAD_REQUEST = { status: 400, body: { code: 1 } };
const API_KEY = /\/apikeys(?:\/[^/]+)?$/;

/** Decisions about namespaces, API keys, tessen (Sensu Go's usage reports), the cluster, paths and methods. */
export const CLUSTER_DECISIONS: readonly Decision[] = [
  onRequest(
    ({ path, answer }) => path === `${CORE}/cluster/members` && answer.status === 200,
    'there is no store of its own behind the backend, so no addresses of one, and it is called as its machine is',
    () => ({ status: 200 }),
  ),
  onRequest(
    ({ method, answer }) => method === 'OPTIONS' && answer.status === 405,
    'browsers ask so before they send anything, and lose the request otherwise (reference 4)',
    () => ({ status: 200 }),
  ),
  onRequest(
    ({ method, answer }) => method === 'HEAD' && answer.status === 405,
    'HEAD is GET without the body (RFC 9110, section 9.3.2)',
    ({ path }, { earlier }) => ({ status: isThere(path, earlier) ? 200 : 404 }),
  ),
  onRequest(
    ({ method, path, body }) => method === 'PATCH' && isNamespace(path) && at(body, 'name') !== undefined,
    'the recorded answer renames the namespace alone: what is in it is lost',
    () => BAD_REQUEST,
  ),
  onRequest(
    ({ method, path, answer }) => method === 'DELETE' && path === `${NAMESPACES}/default` && answer.status === 204,
    'the recorded answer deletes what the built-in roles and the legacy API are in',
    () => BAD_REQUEST,
  ),
  onRequest(
    ({ method, path }, recorded) => method === 'GET' && isInNamespace(path, 'default') && hasLostDefault(recorded),
    'default is still there, because its deletion is refused',
    () => ({ status: 200 }),
  ),
  onRequest(
    ({ method, path, answer }, recorded) =>
      method === 'GET' &&
      path === NAMESPACES &&
      answer.status === 200 &&
      (hasLostDefault(recorded) || renamesBefore(recorded).size > 0),
    'neither is a namespace renamed, nor is default deleted',
    ({ answer }, recorded) => ({ status: 200, body: namespacesWithout(answer.body, recorded) }),
  ),
  onRequest(
    ({ method, path, answer }) => method === 'POST' && API_KEY.test(path) && answer.status === 201,
    'the key is told once, and only its hash is stored (completion 1.17): the answer holds it by name',
    ({ body }) => ({ status: 201, body: { username: at(body, 'username'), metadata: { created_by: 'admin' } } }),
  ),
  onRequest(
    ({ method, path, answer }) => method === 'GET' && API_KEY.test(path) && answer.status === 200,
    'a key has limits of its own here, and shows them to who may grant it',
    ({ answer: { body } }) => ({
      status: 200,
      body: Array.isArray(body) ? itemsOf(body).map(unlimitedKey) : unlimitedKey(body),
    }),
  ),
  onRequest(
    ({ method, path, body, answer }, recorded) =>
      method === 'PATCH' && API_KEY.test(path) && answer.status === 200 && !isUser(at(body, 'username'), recorded),
    'the recorded answer gives the key to a user who is not there, with whose rights it would come to life',
    ({ body }) => ({
      status: 400,
      body: { code: 1, message: `there is no user ${String(at(body, 'username'))}, or it is disabled` },
    }),
  ),
  onRequest(
    ({ method, path, answer }) => method === 'PUT' && API_KEY.test(path) && answer.status === 405,
    'a key of a dump is brought back like that, by its hash (completion 1.17), and these have none',
    () => BAD_REQUEST,
  ),
  onRequest(
    ({ path, headers }) =>
      path === '/auth/test' && /^(?:Key|Bearer) |^undefined$/.test(String(headers['Authorization'])),
    'Authorization: Key and a token are good on every endpoint (completion 1.1), so they can be tried out here',
    () => ({ status: 200 }),
  ),
  onRequest(
    ({ method, path, headers, answer }, { earlier }) =>
      method === 'GET' &&
      path !== '/auth' &&
      answer.status === 401 &&
      isBasicOfSomebody(headers['Authorization'], earlier),
    'Basic is good for every endpoint (completion 1.1), as the token is that it could be exchanged for',
    () => ({ status: 200 }),
  ),
  onRequest(
    ({ path, answer }) => path === `${CORE}/tessen` && at(answer.body, 'opt_out') === false,
    'nothing ever leaves the machine, whatever is asked for',
    () => ({ status: 200, body: { opt_out: true } }),
  ),
  onRequest(
    ({ path }) => path === '/graphql',
    'it belongs to the web interface of the peer, of which there is none here',
    () => ({ status: 404, body: { code: 2 } }),
  ),
  onRequest(
    ({ path, headers, answer }) =>
      path.startsWith(`${NAMESPACES}/`) &&
      path.endsWith('/') &&
      headers['Authorization'] === null &&
      answer.status === 404,
    'an object without a name: who shows no credentials is told nothing about objects',
    () => ({ status: 401, body: { Code: 5 } }),
  ),
  onRequest(
    ({ path }) => path === '/version',
    'there is no etcd, and clients are told which level of the API this is',
    () => ({ status: 200, body: { sensu_backend: '6.5.0' } }),
  ),
  onRequest(
    ({ path }) => path === '/health',
    'the only member is called as its machine is',
    () => ({ status: 200, body: { Alarms: null } }),
  ),
];

function isNamespace(path: string): boolean {
  return /^\/api\/core\/v2\/namespaces\/[^/]+$/.test(path);
}

function isInNamespace(path: string, name: string): boolean {
  return path === `${NAMESPACES}/${name}` || path.startsWith(`${NAMESPACES}/${name}/`);
}

/** True if the path is a collection, or an object that an earlier request accessed successfully. */
function isThere(path: string, earlier: Recorded['earlier']): boolean {
  const [, , , , , , , name] = path.split('/');
  if (name === undefined) return true;
  return requestsBefore({ earlier }).some((made) => made.path === path && made.answer.status < 300);
}

function hasLostDefault(recorded: Pick<Recorded, 'earlier'>): boolean {
  return requestsBefore(recorded).some(
    ({ method, path, answer }) => method === 'DELETE' && path === `${NAMESPACES}/default` && answer.status === 204,
  );
}

/** Returns the previous names of renamed namespaces, by their new names. */
function renamesBefore(recorded: Pick<Recorded, 'earlier'>): ReadonlyMap<unknown, string> {
  const renames = requestsBefore(recorded).filter(
    ({ method, path, answer }) => method === 'PATCH' && isNamespace(path) && answer.status === 200,
  );
  return new Map(renames.map(({ path, body }) => [at(body, 'name'), path.slice(NAMESPACES.length + 1)]));
}

/**
 * Returns the namespaces of a recorded list with their original names, as if none had been renamed and `default` had
 * not been deleted.
 */
function namespacesWithout(body: unknown, recorded: Recorded<Exchange>): readonly object[] {
  const renames = renamesBefore(recorded);
  const names = itemsOf(body).map((item) => String(renames.get(at(item, 'name')) ?? at(item, 'name')));
  const all = hasLostDefault(recorded) ? [...names, 'default'] : names;
  return all.toSorted((a, b) => (a < b ? -1 : 1)).map((name) => ({ name }));
}

function unlimitedKey(key: unknown): object {
  return {
    username: at(key, 'username'),
    metadata: { created_by: 'admin' },
    all_roles: true,
    namespace: null,
    expires_at: 0,
  };
}

function isUser(name: unknown, recorded: Pick<Recorded, 'earlier'>): boolean {
  return requestsBefore(recorded).some(
    ({ method, path, body, answer }) =>
      method !== 'DELETE' && path.includes('/users') && at(body, 'username') === name && answer.status === 201,
  );
}

/** True if the header contains credentials with which an earlier login succeeded. */
function isBasicOfSomebody(header: string | null | undefined, earlier: Recorded['earlier']): boolean {
  if (header?.startsWith('Basic ') !== true) return false;
  return requestsBefore({ earlier }).some(
    ({ path, headers, answer }) => path === '/auth' && headers['Authorization'] === header && answer.status === 200,
  );
}
