import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { issuedResponse, objectResponse } from '../schemas/response.ts';
import type { Scope } from '../schemas/scope.ts';
import { endpointBuilder, pathParameters, type Endpoint } from './endpoint.ts';
import { countParameter, textParameter } from './query.ts';

/** The path prefix of the v2 API. */
export const V2_PREFIX = '/api/core/v2';

/** Maximum size in bytes of a request body with one object (completion 1.17). */
const OBJECT_BYTES_MAX = 512_000;

const LIST_PARAMETERS = {
  limit: countParameter.describe('maximum number'),
  continue: textParameter.describe('position of the next page, from the header `Sensu-Continue`'),
  labelSelector: textParameter.describe('label selector'),
  fieldSelector: textParameter.describe('field selector'),
};

/** Schema of a response with a list of objects. Null counts as an empty list, because Sensu Go sends it for one. */
export const v2ObjectsAnswer = z
  .array(objectResponse)
  .nullish()
  .transform((all) => all ?? []);
const tokensResponse = z.looseObject({ access_token: z.string(), expires_at: z.number(), refresh_token: z.string() });

const CHANGE_ERRORS: readonly ErrorCode[] = [
  'invalid',
  'not_found',
  'conflict',
  'precondition',
  'too_large',
  'no_memory',
];
/** Default role verb, HTTP status and error codes of an endpoint, by its HTTP method. */
const METHOD_DEFAULTS = {
  GET: { verb: 'get', status: 200, errors: ['not_found'] },
  POST: { verb: 'create', status: 201, errors: ['invalid', 'not_found', 'conflict', 'too_large', 'no_memory'] },
  PUT: { verb: 'update', status: 201, errors: CHANGE_ERRORS },
  PATCH: { verb: 'update', status: 200, errors: CHANGE_ERRORS },
  DELETE: { verb: 'delete', status: 204, errors: ['not_found', 'conflict', 'precondition'] },
} as const;

/** An HTTP method and a path, such as `GET /events`. */
type Route = `${keyof typeof METHOD_DEFAULTS} /${string}`;

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
  const [method, path] = route.split(' ', 2) as [keyof typeof METHOD_DEFAULTS, string];
  const { verb, status, errors } = METHOD_DEFAULTS[method];
  const parts = pathParameters({ path }).filter((part) => part !== 'namespace' || resource === 'namespaces');
  // The name of an event consists of two path parameters. For other types, the first one is the name of the object.
  const nameParameters = resource === 'events' ? parts : parts.slice(0, 1);
  const isList = method === 'GET' && (nameParameters.length === 0 || overrides.query === LIST_PARAMETERS);
  return {
    method,
    path,
    scope: 'admin',
    summary,
    status,
    errors,
    ...overrides,
    role: { verb: isList ? 'list' : verb, resource, nameParameters },
  };
}

/** Defines an endpoint that returns a paginated list of objects. */
function listEndpoint(resource: string, path: string, summary: string, scope: Scope) {
  return resourceEndpoint(resource, `GET ${path}` as Route, summary, {
    scope,
    query: LIST_PARAMETERS,
    response: v2ObjectsAnswer,
    errors: ['invalid'],
  });
}

interface ObjectKind {
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
function collectionEndpoints({ type, one, read, write, errors = [] }: ObjectKind, path: string, where = '') {
  const bodyBytesMax = OBJECT_BYTES_MAX;
  return {
    list: { ...listEndpoint(type, path, `Lists objects of the kind ${one}${where}`, read), bodyBytesMax },
    create: resourceEndpoint(type, `POST ${path}` as Route, `Creates the ${one} in the request body`, {
      scope: write,
      bodyBytesMax,
      errors: [...METHOD_DEFAULTS.POST.errors, ...errors],
    }),
  };
}

/** Defines the endpoints that read, write and delete one object. */
function objectEndpoints({ type, one, key, read, write, remove, errors = [] }: ObjectKind, path: string) {
  const bodyBytesMax = OBJECT_BYTES_MAX;
  const at = (method: keyof typeof METHOD_DEFAULTS): Route =>
    `${method} ${[path, ...key.map((part) => `:${part}`)].join('/')}` as Route;
  const written = { scope: write, bodyBytesMax, errors: [...CHANGE_ERRORS, ...errors] };
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
function outsideNamespaces(kind: ObjectKind) {
  const path = `${V2_PREFIX}/${kind.type}`;
  const { list: all, create } = collectionEndpoints(kind, path);
  const { post: _none, ...one } = objectEndpoints(kind, path);
  return { listAll: all, createAnywhere: create, ...one };
}

/** Defines the endpoints for a type of objects in namespaces, and the list of them in all namespaces. */
function namespacedEndpoints(kind: ObjectKind) {
  const within = `${V2_PREFIX}/namespaces/:namespace/${kind.type}`;
  const { list: all, create } = collectionEndpoints(kind, `${V2_PREFIX}/${kind.type}`, ' of all namespaces');
  const { post: _none, ...one } = objectEndpoints(kind, within);
  return { listAll: all, createAnywhere: create, ...collectionEndpoints(kind, within), ...one };
}

const DEFINITION_SCOPES = { key: ['name'], read: 'read', write: 'admin', remove: 'admin' } as const;
const ADMIN_DEFINITION_SCOPES = { ...DEFINITION_SCOPES, read: 'admin' } as const;
const EVENT_KIND: ObjectKind = {
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
const CHECK_PATH = `${V2_PREFIX}/namespaces/:namespace/checks/:name`;
const USER_PATH = `${V2_PREFIX}/users/:user`;
const KEY_PATH = `${V2_PREFIX}/apikeys/:key`;

// Events have no PATCH, because an event is only replaced as a whole. Unlike other objects, they can be posted to their
// own path.
const { patch: _followed, ...events } = {
  ...namespacedEndpoints(EVENT_KIND),
  post: objectEndpoints(EVENT_KIND, EVENTS_IN).post,
};

const rootEndpoint = endpointBuilder('');

/** The routes of the v2 API and of its login, by topic. */
export const V2_API = {
  versions: {
    version: rootEndpoint('GET /version', 'The level of the v2 API and the version of this program', {
      scope: 'public',
      response: z.looseObject({ sensu_backend: z.string() }),
      errors: [],
    }),
  },
  auth: {
    logIn: rootEndpoint('GET /auth', 'Issues tokens for a user and password (HTTP Basic)', {
      scope: 'public',
      isForLeader: true,
      response: tokensResponse,
      errors: [],
    }),
    test: rootEndpoint('GET /auth/test', 'Checks credentials', {
      scope: 'authenticated',
      errors: [],
    }),
    refresh: rootEndpoint('POST /auth/token', 'Exchanges tokens for new ones', {
      scope: 'public',
      response: tokensResponse,
      errors: ['invalid', 'too_large'],
    }),
    logOut: rootEndpoint('POST /auth/logout', 'Ends the session of the tokens', {
      scope: 'public',
      errors: ['invalid', 'too_large'],
    }),
  },
  users: {
    list: listEndpoint('users', `${V2_PREFIX}/users`, 'Users', 'admin'),
    create: resourceEndpoint('users', `POST ${V2_PREFIX}/users`, 'Creates a user'),
    get: resourceEndpoint('users', `GET ${USER_PATH}`, 'One user', { scope: 'self', response: objectResponse }),
    put: resourceEndpoint('users', `PUT ${USER_PATH}`, 'Creates or replaces a user'),
    disable: resourceEndpoint('users', `DELETE ${USER_PATH}`, 'Disables a user'),
    reinstate: resourceEndpoint('users', `PUT ${USER_PATH}/reinstate`, 'Enables a disabled user'),
    setPassword: resourceEndpoint(
      'users',
      `PUT ${USER_PATH}/password`,
      'Changes a password; users must send their current one',
      {
        scope: 'self',
      },
    ),
    resetPassword: resourceEndpoint('users', `PUT ${USER_PATH}/reset_password`, 'Sets the password of a user'),
    logOut: resourceEndpoint('users', `DELETE ${USER_PATH}/sessions`, 'Ends the sessions of a user', {
      scope: 'self',
      errors: ['not_found'],
    }),
    leaveGroups: resourceEndpoint('users', `DELETE ${USER_PATH}/groups`, 'Removes a user from all groups'),
    joinGroup: resourceEndpoint('users', `PUT ${USER_PATH}/groups/:group`, 'Adds a user to a group'),
    leaveGroup: resourceEndpoint('users', `DELETE ${USER_PATH}/groups/:group`, 'Removes a user from a group'),
  },
  apiKeys: {
    list: listEndpoint('apikeys', `${V2_PREFIX}/apikeys`, 'API keys without their secrets', 'admin'),
    grant: resourceEndpoint('apikeys', `POST ${V2_PREFIX}/apikeys`, 'Grants a key; only this response contains it', {
      response: objectResponse,
    }),
    get: resourceEndpoint('apikeys', `GET ${KEY_PATH}`, 'One API key', { response: objectResponse }),
    patch: resourceEndpoint('apikeys', `PATCH ${KEY_PATH}`, 'Applies a merge patch to a key', {
      response: objectResponse,
    }),
    put: resourceEndpoint('apikeys', `PUT ${KEY_PATH}`, 'Restores a key of a dump or of Sensu Go'),
    revoke: resourceEndpoint('apikeys', `DELETE ${KEY_PATH}`, 'Revokes a key'),
  },
  namespaces: outsideNamespaces({ ...DEFINITION_SCOPES, type: 'namespaces', one: 'namespace', key: ['namespace'] }),
  checks: {
    ...namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'checks', one: 'check' }),
    execute: resourceEndpoint('checks', `POST ${CHECK_PATH}/execute`, 'Requests a run of a check now', {
      scope: 'resolve',
      status: 202,
      response: issuedResponse,
      errors: ['invalid', 'not_found', 'too_large'],
    }),
  },
  handlers: namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'handlers', one: 'handler' }),
  filters: namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'filters', one: 'filter' }),
  mutators: namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'mutators', one: 'mutator' }),
  pipelines: namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'pipelines', one: 'pipeline' }),
  hooks: {
    ...namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'hooks', one: 'hook' }),
    setOfCheck: resourceEndpoint('checks', `PUT ${CHECK_PATH}/hooks/:type`, 'Sets the hooks of a check, by type'),
    removeOfCheck: resourceEndpoint(
      'checks',
      `DELETE ${CHECK_PATH}/hooks/:type/hook/:hook`,
      'Removes a hook from a check',
    ),
  },
  assets: namespacedEndpoints({ ...DEFINITION_SCOPES, type: 'assets', one: 'asset' }),
  entities: namespacedEndpoints({
    type: 'entities',
    one: 'entity',
    key: ['entity'],
    read: 'read',
    write: 'submit',
    remove: 'resolve',
    errors: ['payment_required'],
  }),
  events: { ...events, ofEntity: listEndpoint('events', `${EVENTS_IN}/:entity`, 'Events of an entity', 'read') },
  silenced: {
    ...namespacedEndpoints({
      type: 'silenced',
      one: 'silenced entry',
      key: ['silenced'],
      read: 'read',
      write: 'silence',
      remove: 'silence',
      errors: ['threshold'],
    }),
    ofCheck: listEndpoint('silenced', `${SILENCED_IN}/checks/:check`, 'Silences of a check', 'read'),
    ofSubscription: listEndpoint(
      'silenced',
      `${SILENCED_IN}/subscriptions/:subscription`,
      'Silences of a subscription',
      'read',
    ),
  },
  roles: namespacedEndpoints({ ...ADMIN_DEFINITION_SCOPES, type: 'roles', one: 'role' }),
  clusterRoles: outsideNamespaces({ ...ADMIN_DEFINITION_SCOPES, type: 'clusterroles', one: 'cluster role' }),
  roleBindings: namespacedEndpoints({ ...ADMIN_DEFINITION_SCOPES, type: 'rolebindings', one: 'role binding' }),
  clusterRoleBindings: outsideNamespaces({
    ...ADMIN_DEFINITION_SCOPES,
    type: 'clusterrolebindings',
    one: 'cluster role binding',
  }),
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

const memberResponse = z.looseObject({ Name: z.string(), Healthy: z.boolean() });

/** The route `/health` on the listener for the v2 API. There it replaces the route `/health` of the v1 API. */
export const V2_HEALTH = {
  health: rootEndpoint('GET /health', 'Cluster members with their health; the status is always 200', {
    scope: 'public',
    isOfItself: true,
    response: z.looseObject({ ClusterHealth: z.array(memberResponse).nullable() }),
    errors: [],
  }),
};
