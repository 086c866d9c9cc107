import * as fc from 'fast-check';
import { ADMINISTRATORS_GROUP } from '../../shared/domain/v2/groups.ts';
import { BACKEND_ACTOR } from '../../daemon/backend/model/audit/mutations.ts';
import { dumpPage } from '../../daemon/backend/dump/queries.ts';
import type { DumpedType, WrappedObject } from '../../shared/domain/v2/wrapped-object.ts';
import { SCOPES } from '../../shared/schemas/scope.ts';
import type { Tokens } from '../../daemon/backend/access/sessions.ts';
import type { Writers } from '../../daemon/backend/compose/writers.ts';
import type { FollowedBackend } from './followed-backend.ts';

/** An operation on a backend. If it is rejected, it changes nothing. */
export interface Step {
  readonly title: string;
  readonly act: (backend: FollowedBackend) => Promise<unknown>;
}

const BCRYPT_HASH = '$2b$04$abcdefghijklmnopqrstuu5Lw9yvY7s5wE6l1hTnY8bQ0bU4uRi8W';
const DUMPED_TYPES: readonly DumpedType[] = [
  'Entity',
  'Event',
  'Silenced',
  'User',
  'APIKey',
  'Handler',
  'Role',
  'OnCallOverride',
];
const GRANTER = { actor: BACKEND_ACTOR, scopes: new Set(SCOPES) };

/** Opens a session of a user, as a login does. */
export const openSession: (writers: Writers, name: string) => Promise<Tokens> = (writers, name) =>
  writers.sessions.open({ name, credentialVersion: writers.credentialVersions.versionOfUser(name) });

const namespace = fc.constantFrom('default', 'default', 'dev');
const client = fc.constantFrom('a', 'b', 'c');
const check = fc.constantFrom('cpu', 'disk');
const status = fc.constantFrom(0, 0, 1, 2, 2, 3, 127);
const username = fc.constantFrom('ada', 'bob');
const subscription = fc.constantFrom('web', 'db', 'client:a');

const result = fc.record(
  {
    name: check,
    source: client,
    status,
    output: fc.constantFrom('fine', 'first line\nsecond', ''),
    ttl: fc.constantFrom(30, 600),
    auto_resolve: fc.boolean(),
    force_resolve: fc.constantFrom(false, false, true),
    aggregates: fc.subarray(['fleet', 'shop', 'web']),
    truncate_output: fc.boolean(),
    truncate_output_length: fc.constant(3),
    handlers: fc.constant<string[]>(['page']),
  },
  { requiredKeys: ['name', 'status', 'output', 'source'] },
);

/** A result that an agent sends, for itself or for a proxy client. */
const delivered = fc.record(
  {
    name: check,
    status,
    output: fc.constant('o'),
    executed: fc.constantFrom(1_767_225_000, 1_767_225_600),
    source: fc.constantFrom('proxy-1', 'proxy-2'),
    aggregates: fc.subarray(['fleet', 'web']),
  },
  { requiredKeys: ['name', 'status', 'output', 'executed'] },
);

const clientBody = fc.record(
  {
    name: client,
    address: fc.constantFrom('192.0.2.1', 'unknown'),
    subscriptions: fc.subarray(['web', 'db', 'linux']),
    keepalives: fc.boolean(),
    deregister: fc.boolean(),
    signature: fc.constant('own'),
    redact: fc.constant<string[]>(['secret']),
  },
  { requiredKeys: ['name', 'address', 'subscriptions'] },
);

export const handlerObject = (name: string, at: string, timeout: number) => ({
  metadata: { name, namespace: at },
  type: 'pipe' as const,
  command: 'true',
  filters: ['not_silenced'],
  timeout,
});

const roleObject = (name: string, at: string, verb: 'get' | 'list') => ({
  metadata: { name, namespace: at },
  rules: [{ verbs: [verb], resources: ['events'], resource_names: null }],
});

const named = <Args extends readonly unknown[]>(
  title: string,
  weight: number,
  args: { readonly [At in keyof Args]: fc.Arbitrary<Args[At]> },
  act: (backend: FollowedBackend, ...args: Args) => Promise<unknown>,
): { readonly weight: number; readonly arbitrary: fc.Arbitrary<Step> } => ({
  weight,
  arbitrary: (fc.tuple(...args) as unknown as fc.Arbitrary<Args>).map((drawn) => ({
    title: `${title} ${JSON.stringify(drawn)}`,
    // The arguments are cloned, because the backend may modify them and the same steps are run again.
    act: (backend) => act(backend, ...structuredClone(drawn)),
  })),
});

export const step: fc.Arbitrary<Step> = fc.oneof(
  named('results', 10, [namespace, fc.array(result, { minLength: 1, maxLength: 4 })], ({ writers }, at, results) =>
    writers.results.submit(at, results),
  ),
  named('keepalive result', 3, [namespace, client, fc.constantFrom(0, 2)], ({ writers, nowMs }, at, name, of) => {
    const now = Math.floor(nowMs / 1000);
    const keepalive = { name: 'keepalive', status: of, output: 'k', executed: now, issued: now };
    return writers.results.record(at, [{ client: name, reporter: name, check: keepalive }]);
  }),
  named(
    'delivery',
    4,
    [namespace, client, fc.constantFrom('s', 't'), fc.integer({ min: 1, max: 9 }), delivered],
    ({ writers }, at, name, spool, id, of) =>
      new Promise((resolve) => {
        const asked = { cancellation: { isCancelled: false }, admission: () => undefined };
        const delivery = { client: name, spool, results: [{ id, check: of }], ...asked };
        writers.results.submitFromAgent(at, delivery, () => undefined, resolve);
      }),
  ),
  named('delete result', 2, [namespace, client, check], ({ writers }, at, of, name) =>
    writers.results.remove(at, of, name),
  ),
  named('resolve', 2, [namespace, client, check], ({ writers }, at, of, name) => writers.events.resolve(at, of, name)),
  named('put client', 3, [namespace, clientBody], ({ writers }, at, body) => writers.clients.put(at, body)),
  named('keepalive', 3, [namespace, clientBody], ({ writers }, at, body) => writers.clients.keepalive(at, body)),
  named(
    'delete client',
    3,
    [namespace, client, fc.constantFrom(undefined, 5, 3600)],
    ({ writers }, at, of, expireSeconds) => writers.clients.remove(at, of, { expireSeconds }),
  ),
  named('forget', 1, [namespace, client], ({ writers }, at, of) => writers.clients.removeExpiredBan(at, of)),
  named('deregister', 1, [namespace, client], ({ writers }, at, of) => writers.clients.deregister(at, of)),
  named('delete aggregate', 3, [namespace, fc.constantFrom('fleet', 'shop', 'web')], ({ writers }, at, name) =>
    writers.aggregates.remove(at, name),
  ),
  named(
    'silence',
    4,
    [
      namespace,
      fc.option(subscription),
      fc.option(check),
      fc.constantFrom(-1, 5, 3600),
      fc.constantFrom(undefined, 5),
      fc.boolean(),
    ],
    ({ writers, nowMs }, at, sub, of, expire, beginsIn, onResolve) =>
      writers.silenced.create(at, {
        subscription: sub,
        check: sub === null ? (of ?? 'cpu') : of,
        expire,
        expire_on_resolve: onResolve,
        ...(beginsIn === undefined ? {} : { begin: Math.floor(nowMs / 1000) + beginsIn }),
      }),
  ),
  named('clear', 2, [namespace, fc.option(subscription), check], ({ writers }, at, sub, of) =>
    writers.silenced.clear(at, { subscription: sub, check: of }),
  ),
  named('expire silences', 2, [namespace], async ({ writers, foundation }, at) => {
    for (const { id } of foundation.registry.namespace(at).silenced.all())
      await writers.silenced.updateAtDeadline(at, id);
  }),
  named(
    'stash',
    2,
    [namespace, fc.constantFrom('silence/a', 'b'), fc.constantFrom(-1, 5)],
    ({ writers }, at, path, expireSeconds) => writers.stashes.put(at, { path, content: { of: at }, expireSeconds }),
  ),
  named('remove stash', 1, [namespace, fc.constantFrom('silence/a', 'b')], ({ writers }, at, path) =>
    writers.stashes.remove(at, path),
  ),
  named('make namespace', 2, [], ({ writers }) => writers.namespaces.put('dev', () => undefined, BACKEND_ACTOR)),
  named('empty and remove a namespace', 2, [fc.boolean()], async ({ writers, foundation }, isEmptied) => {
    const held = foundation.registry.namespace('dev');
    const { clients, silenced } = held;
    if (isEmptied) {
      for (const name of clients.keys()) await writers.clients.remove('dev', name, { expireSeconds: undefined });
      for (const { id } of silenced.all()) await writers.silenced.clear('dev', { id });
      for (const path of ['silence/a', 'b']) await writers.stashes.remove('dev', path).catch(() => undefined);
      for (const name of ['page', 'mail']) {
        await writers.definitionChanges
          .remove('handlers', 'dev', name, () => undefined, BACKEND_ACTOR)
          .catch(() => undefined);
      }
      for (const { id, namespace: of } of foundation.registry.credentials.apiKeys.values()) {
        if (of === 'dev') await writers.apiKeys.revoke(id, BACKEND_ACTOR);
      }
    }
    await writers.namespaces.remove('dev', () => undefined, BACKEND_ACTOR);
  }),
  named('role', 1, [namespace, fc.constantFrom('get', 'list')], ({ writers }, at, verb) =>
    writers.definitionChanges.write('roles', at, 'reader', () => roleObject('reader', at, verb), BACKEND_ACTOR),
  ),
  named('user', 2, [username, fc.boolean()], ({ writers }, name, disabled) =>
    writers.users.put(
      { username: name, password_hash: BCRYPT_HASH, groups: [ADMINISTRATORS_GROUP], disabled },
      BACKEND_ACTOR,
    ),
  ),
  named('API key', 2, [username, fc.option(namespace)], ({ writers }, name, at) =>
    writers.apiKeys.grant({ username: name, namespace: at, scopes: null }, GRANTER),
  ),
  named('revoke', 1, [], async ({ writers, foundation }) => {
    const [id] = foundation.registry.credentials.apiKeys.keys();
    if (id !== undefined) await writers.apiKeys.revoke(id, BACKEND_ACTOR);
  }),
  named('log in', 1, [username], ({ writers }, name) => openSession(writers, name)),
  named('dump and restore', 2, [fc.constantFrom(...DUMPED_TYPES), client], async (backend, type, gone) => {
    const { writers, foundation } = backend;
    const page = { type, namespace: undefined, after: undefined, limit: 100 };
    const { objects } = await dumpPage(foundation, page);
    await writers.clients.remove('default', gone, { expireSeconds: undefined }).catch(() => undefined);
    await writers.restore.run({ objects: objects as unknown as WrappedObject[] }, BACKEND_ACTOR);
  }),
  named('wait', 3, [fc.constantFrom(1, 1000, 6000, 61_000)], ({ machine }, ms) => {
    machine.advance(ms);
    return Promise.resolve();
  }),
);

/**
 * A change of a handler. In one batch, a result may use a handler that did not exist when the backend determined which
 * data the result needs.
 */
export const handlerStep: fc.Arbitrary<Step> = fc.oneof(
  named('handler', 2, [namespace, fc.constantFrom('page', 'mail'), fc.integer({ min: 1, max: 9 })], (backend, ...of) =>
    backend.writers.definitionChanges.write(
      'handlers',
      of[0],
      of[1],
      () => handlerObject(of[1], of[0], of[2]),
      BACKEND_ACTOR,
    ),
  ),
  named('remove handler', 1, [namespace, fc.constantFrom('page', 'mail')], ({ writers }, at, name) =>
    writers.definitionChanges.remove('handlers', at, name, () => undefined, BACKEND_ACTOR),
  ),
);
