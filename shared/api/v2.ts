import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { issuedResponse, objectResponse } from '../schemas/response.ts';
import type { Scope } from '../schemas/scope.ts';
import { endpointsBelow, pathParameters, type Endpoint } from './endpoint.ts';
import { count, text } from './query.ts';

/** The path prefix of the v2 API. */
export const V2_PREFIX = '/api/core/v2';

/** Maximum size in bytes of a request body with one object (completion 1.17). */
const OBJECT_BYTES_MAX = 512_000;

const LIST = {
  limit: count.describe('maximum number'),
  continue: text.describe('position of the next page, from the header `Sensu-Continue`'),
  labelSelector: text.describe('label selector'),
  fieldSelector: text.describe('field selector'),
};

/** Schema of a response with a list of objects. Null counts as an empty list, because Sensu Go sends it for one. */
export const v2ObjectsAnswer = z
  .array(objectResponse)
  .nullish()
  .transform((all) => all ?? []);
const tokens = z.looseObject({ access_token: z.string(), expires_at: z.number(), refresh_token: z.string() });

const CHANGING: readonly ErrorCode[] = ['invalid', 'not_found', 'conflict', 'precondition', 'too_large', 'no_memory'];
/** Default role verb, HTTP status and error codes of an endpoint, by its HTTP method. */
const USUAL = {
  GET: { verb: 'get', status: 200, errors: ['not_found'] },
  POST: { verb: 'create', status: 201, errors: ['invalid', 'not_found', 'conflict', 'too_large', 'no_memory'] },
  PUT: { verb: 'update', status: 201, errors: CHANGING },
  PATCH: { verb: 'update', status: 200, errors: CHANGING },
  DELETE: { verb: 'delete', status: 204, errors: ['not_found', 'conflict', 'precondition'] },
} as const;

/** An HTTP method and a path, such as `GET /events`. */
type Route = `${keyof typeof USUAL} /${string}`;

/**
 * Defines an endpoint for objects of a resource type. Roles can allow it by the type, and by the name of the object in
 * the path parameters. A GET without the name of an object in its path has the verb `list`. Defaults depend on the HTTP
 * method; the default scope is `admin`.
 */
function resourceEndpoint<ResponseBody = undefined>(
  resource: string,
  route: Route,
  summary: string,
  overrides: Partial<Omit<Endpoint<undefined, ResponseBody>, 'method' | 'path' | 'summary' | 'role'>> = {},
): Endpoint<undefined, ResponseBody> {
  const [method, path] = route.split(' ', 2) as [keyof typeof USUAL, string];
  const { verb, status, errors } = USUAL[method];
  const parts = pathParameters({ path }).filter((part) => part !== 'namespace' || resource === 'namespaces');
  // The name of an event consists of two path parameters. For other types, the first one is the name of the object.
  const named = resource === 'events' ? parts : parts.slice(0, 1);
  const isList = method === 'GET' && (named.length === 0 || overrides.query === LIST);
  return {
    method,
    path,
    scope: 'admin',
    summary,
    status,
    errors,
    ...overrides,
    role: { verb: isList ? 'list' : verb, resource, named },
  };
}

/** Defines an endpoint that returns a paginated list of objects. */
function list(resource: string, path: string, summary: string, scope: Scope) {
  return resourceEndpoint(resource, `GET ${path}` as Route, summary, {
    scope,
    query: LIST,
    response: v2ObjectsAnswer,
    errors: ['invalid'],
  });
}

interface Kind {
  /** The resource type as in the path, such as `checks`. */
  readonly type: string;
  /** The noun for one object in the summaries of endpoints, such as `check`. */
  readonly one: string;
  /** The path parameters that together contain the name of an object. */
  readonly key: readonly string[];
  readonly read: Scope;
  readonly write: Scope;
  readonly remove: Scope;
  /** Additional error codes of endpoints that write an object. */
  readonly errors?: readonly ErrorCode[];
}

/** Defines the endpoints that list and create objects at a path. */
function collectionEndpoints({ type, one, read, write, errors = [] }: Kind, path: string, where = '') {
  const bodyBytesMax = OBJECT_BYTES_MAX;
  return {
    list: { ...list(type, path, `Lists objects of the kind ${one}${where}`, read), bodyBytesMax },
    create: resourceEndpoint(type, `POST ${path}` as Route, `Creates the ${one} of the body`, {
      scope: write,
      bodyBytesMax,
      errors: [...USUAL.POST.errors, ...errors],
    }),
  };
}

/** Defines the endpoints that read, write and delete one object. */
function objectEndpoints({ type, one, key, read, write, remove, errors = [] }: Kind, path: string) {
  const bodyBytesMax = OBJECT_BYTES_MAX;
  const at = (method: keyof typeof USUAL): Route =>
    `${method} ${[path, ...key.map((part) => `:${part}`)].join('/')}` as Route;
  const written = { scope: write, bodyBytesMax, errors: [...CHANGING, ...errors] };
  const replacing = `Creates or replaces the ${one}`;
  return {
    get: resourceEndpoint(type, at('GET'), `One ${one}`, { scope: read, bodyBytesMax, response: objectResponse }),
    put: resourceEndpoint(type, at('PUT'), replacing, written),
    patch: resourceEndpoint(type, at('PATCH'), `Applies a merge patch to the ${one}`, {
      ...written,
      response: objectResponse,
    }),
    post: resourceEndpoint(type, at('POST'), replacing, written),
    remove: resourceEndpoint(type, at('DELETE'), `Deletes the ${one}`, { scope: remove, bodyBytesMax }),
  };
}

/** Defines the endpoints for a type of objects that belong to no namespace. */
function outsideNamespaces(kind: Kind) {
  const path = `${V2_PREFIX}/${kind.type}`;
  const { list: all, create } = collectionEndpoints(kind, path);
  const { post: _none, ...one } = objectEndpoints(kind, path);
  return { listAll: all, createAnywhere: create, ...one };
}

/** Defines the endpoints for a type of objects in namespaces, and the list of them in all namespaces. */
function inNamespaces(kind: Kind) {
  const within = `${V2_PREFIX}/namespaces/:namespace/${kind.type}`;
  const { list: all, create } = collectionEndpoints(kind, `${V2_PREFIX}/${kind.type}`, ' of all namespaces');
  const { post: _none, ...one } = objectEndpoints(kind, within);
  return { listAll: all, createAnywhere: create, ...collectionEndpoints(kind, within), ...one };
}

const DEFINED = { key: ['name'], read: 'read', write: 'admin', remove: 'admin' } as const;
const GUARDED = { ...DEFINED, read: 'admin' } as const;
const EVENTS: Kind = {
  type: 'events',
  one: 'event',
  key: ['entity', 'check'],
  read: 'read',
  write: 'submit',
  remove: 'resolve',
  errors: ['payment_required'],
};
const EVENTS_IN = `${V2_PREFIX}/namespaces/:namespace/events`;
const SILENCED_IN = `${V2_PREFIX}/namespaces/:namespace/silenced`;
const CHECK = `${V2_PREFIX}/namespaces/:namespace/checks/:name`;
const USER = `${V2_PREFIX}/users/:user`;
const KEY = `${V2_PREFIX}/apikeys/:key`;

// Events have no PATCH, because an event is only replaced as a whole. Unlike other objects, they can be posted to their
// own path.
const { patch: _followed, ...events } = { ...inNamespaces(EVENTS), post: objectEndpoints(EVENTS, EVENTS_IN).post };

const root = endpointsBelow('');

/** The routes of the v2 API and of its login, by topic. */
export const V2_API = {
  versions: {
    version: root('GET /version', 'The level of the v2 API and the version of this program', {
      scope: 'public',
      response: z.looseObject({ sensu_backend: z.string() }),
      errors: [],
    }),
  },
  auth: {
    logIn: root('GET /auth', 'Issues tokens for a user and password (HTTP Basic)', {
      scope: 'public',
      isForLeader: true,
      response: tokens,
      errors: [],
    }),
    test: root('GET /auth/test', 'Checks credentials', {
      scope: 'authenticated',
      errors: [],
    }),
    refresh: root('POST /auth/token', 'Exchanges tokens for new ones', {
      scope: 'public',
      response: tokens,
      errors: ['invalid', 'too_large'],
    }),
    logOut: root('POST /auth/logout', 'Ends the session of the tokens', {
      scope: 'public',
      errors: ['invalid', 'too_large'],
    }),
  },
  users: {
    list: list('users', `${V2_PREFIX}/users`, 'Users', 'admin'),
    create: resourceEndpoint('users', `POST ${V2_PREFIX}/users`, 'Creates a user'),
    get: resourceEndpoint('users', `GET ${USER}`, 'One user', { scope: 'self', response: objectResponse }),
    put: resourceEndpoint('users', `PUT ${USER}`, 'Creates or replaces a user'),
    disable: resourceEndpoint('users', `DELETE ${USER}`, 'Disables a user'),
    reinstate: resourceEndpoint('users', `PUT ${USER}/reinstate`, 'Enables a disabled user'),
    setPassword: resourceEndpoint(
      'users',
      `PUT ${USER}/password`,
      'Changes a password; users must send their current one',
      {
        scope: 'self',
      },
    ),
    resetPassword: resourceEndpoint('users', `PUT ${USER}/reset_password`, 'Sets the password of a user'),
    logOut: resourceEndpoint('users', `DELETE ${USER}/sessions`, 'Ends the sessions of a user', {
      scope: 'self',
      errors: ['not_found'],
    }),
    leaveGroups: resourceEndpoint('users', `DELETE ${USER}/groups`, 'Removes a user from all groups'),
    joinGroup: resourceEndpoint('users', `PUT ${USER}/groups/:group`, 'Adds a user to a group'),
    leaveGroup: resourceEndpoint('users', `DELETE ${USER}/groups/:group`, 'Removes a user from a group'),
  },
  apiKeys: {
    list: list('apikeys', `${V2_PREFIX}/apikeys`, 'API keys without their secrets', 'admin'),
    grant: resourceEndpoint('apikeys', `POST ${V2_PREFIX}/apikeys`, 'Grants a key; only this response contains it', {
      response: objectResponse,
    }),
    get: resourceEndpoint('apikeys', `GET ${KEY}`, 'One API key', { response: objectResponse }),
    patch: resourceEndpoint('apikeys', `PATCH ${KEY}`, 'Applies a merge patch to a key', { response: objectResponse }),
    put: resourceEndpoint('apikeys', `PUT ${KEY}`, 'Restores a key of a dump or of Sensu Go'),
    revoke: resourceEndpoint('apikeys', `DELETE ${KEY}`, 'Revokes a key'),
  },
  namespaces: outsideNamespaces({ ...DEFINED, type: 'namespaces', one: 'namespace', key: ['namespace'] }),
  checks: {
    ...inNamespaces({ ...DEFINED, type: 'checks', one: 'check' }),
    execute: resourceEndpoint('checks', `POST ${CHECK}/execute`, 'Requests a run of a check now', {
      scope: 'resolve',
      status: 202,
      response: issuedResponse,
      errors: ['invalid', 'not_found', 'too_large'],
    }),
  },
  handlers: inNamespaces({ ...DEFINED, type: 'handlers', one: 'handler' }),
  filters: inNamespaces({ ...DEFINED, type: 'filters', one: 'filter' }),
  mutators: inNamespaces({ ...DEFINED, type: 'mutators', one: 'mutator' }),
  pipelines: inNamespaces({ ...DEFINED, type: 'pipelines', one: 'pipeline' }),
  hooks: {
    ...inNamespaces({ ...DEFINED, type: 'hooks', one: 'hook' }),
    setOfCheck: resourceEndpoint('checks', `PUT ${CHECK}/hooks/:type`, 'Sets the hooks of a check, by type'),
    removeOfCheck: resourceEndpoint('checks', `DELETE ${CHECK}/hooks/:type/hook/:hook`, 'Removes a hook from a check'),
  },
  assets: inNamespaces({ ...DEFINED, type: 'assets', one: 'asset' }),
  entities: inNamespaces({
    type: 'entities',
    one: 'entity',
    key: ['entity'],
    read: 'read',
    write: 'submit',
    remove: 'resolve',
    errors: ['payment_required'],
  }),
  events: { ...events, ofEntity: list('events', `${EVENTS_IN}/:entity`, 'Events of an entity', 'read') },
  silenced: {
    ...inNamespaces({
      type: 'silenced',
      one: 'silenced entry',
      key: ['silenced'],
      read: 'read',
      write: 'silence',
      remove: 'silence',
      errors: ['threshold'],
    }),
    ofCheck: list('silenced', `${SILENCED_IN}/checks/:check`, 'Silences of a check', 'read'),
    ofSubscription: list(
      'silenced',
      `${SILENCED_IN}/subscriptions/:subscription`,
      'Silences of a subscription',
      'read',
    ),
  },
  roles: inNamespaces({ ...GUARDED, type: 'roles', one: 'role' }),
  clusterRoles: outsideNamespaces({ ...GUARDED, type: 'clusterroles', one: 'cluster role' }),
  roleBindings: inNamespaces({ ...GUARDED, type: 'rolebindings', one: 'role binding' }),
  clusterRoleBindings: outsideNamespaces({ ...GUARDED, type: 'clusterrolebindings', one: 'cluster role binding' }),
  tessen: {
    get: resourceEndpoint('tessen', `GET ${V2_PREFIX}/tessen`, 'Telemetry settings: always off', {
      response: objectResponse,
      errors: [],
    }),
    put: resourceEndpoint('tessen', `PUT ${V2_PREFIX}/tessen`, 'Accepted without effect', {
      status: 200,
      response: objectResponse,
      errors: ['invalid', 'too_large'],
    }),
    report: resourceEndpoint('tessen', `POST ${V2_PREFIX}/tessen/metrics`, 'Returns the request; nothing is sent', {
      status: 200,
      response: z.array(objectResponse),
      errors: ['invalid', 'too_large'],
    }),
  },
  cluster: {
    id: resourceEndpoint('cluster-members', `GET ${V2_PREFIX}/cluster/id`, 'The id of the store', {
      response: z.string(),
      errors: [],
    }),
    members: resourceEndpoint('cluster-members', `GET ${V2_PREFIX}/cluster/members`, 'Cluster members', {
      response: objectResponse,
      errors: [],
    }),
  },
};

const member = z.looseObject({ Name: z.string(), Healthy: z.boolean() });

/** The route `/health` on the listener for the v2 API. There it replaces the route `/health` of the v1 API. */
export const V2_HEALTH = {
  health: root('GET /health', 'Cluster members with their health; the status is always 200', {
    scope: 'public',
    isOfItself: true,
    response: z.looseObject({ ClusterHealth: z.array(member).nullable() }),
    errors: [],
  }),
};
