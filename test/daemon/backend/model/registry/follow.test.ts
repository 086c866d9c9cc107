import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BACKEND_ACTOR } from '../../../../../daemon/backend/model/audit/mutations.ts';
import { groupsOf } from '../../../../../daemon/backend/model/notify/groups/state.ts';
import { GroupFlusher } from '../../../../../daemon/backend/notify/groups/flush.ts';
import { InhibitionUpdates } from '../../../../../daemon/backend/notify/inhibitions/rule-changes.ts';
import {
  deferResolution,
  removePendingResolution,
} from '../../../../../daemon/backend/model/notify/silence-ends/mutations.ts';
import { pendingResolutionsOf } from '../../../../../daemon/backend/model/notify/silence-ends/state.ts';
import { PLANS } from '../../../../../daemon/backend/model/plans/storage.ts';
import { plansOf, type StoredPlan } from '../../../../../daemon/backend/model/plans/state.ts';
import type { Store } from '../../../../../daemon/backend/ports.ts';
import { saveTtlDefinitions } from '../../../../../daemon/backend/results/retire-ttls.ts';
import { overridesOf } from '../../../../../daemon/backend/model/on-call/state.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';
import { MonError } from '../../../../../shared/errors.ts';
import { anEvent } from '../../../../support/an-event.ts';
import { FollowedBackend } from '../../../../support/followed-backend.ts';
import { handlerObject, handlerStep, openSession, step, type Step } from '../../../../support/follow-steps.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { snapshotOf, staleAt } from '../../../../support/registry-snapshot.ts';
import { tempDir } from '../../../../support/temp-dir.ts';
import { propertyRuns } from '../../../../support/property-runs.ts';

const RUNS = 20;
const YEAR_S = 365 * 24 * 3600;

type Act = Step['act'];

const makeNamespace: Act = ({ writers }) => writers.namespaces.put('dev', () => undefined, BACKEND_ACTOR);
const makeHandler: Act = ({ writers }) =>
  writers.definitionChanges.write(
    'handlers',
    'default',
    'page',
    () => handlerObject('page', 'default', 1),
    BACKEND_ACTOR,
  );

const makeGrouping: Act = ({ writers }) => {
  const mon = { group_by: ['check'], group_wait: 0 };
  const handler = handlerObject('grouping', 'default', 1);
  return writers.definitionChanges.write('handlers', 'default', 'grouping', () => ({ ...handler, mon }), BACKEND_ACTOR);
};

async function open(...acts: readonly Act[]): Promise<FollowedBackend> {
  const backend = await FollowedBackend.open(await tempDir());
  for (const act of acts) await perform(backend, act);
  return backend;
}

/** Performs all actions in one commit, and throws the first error. */
async function perform(backend: FollowedBackend, ...acts: readonly Act[]): Promise<void> {
  for (const settled of await backend.commit(...acts.map((act) => () => act(backend)))) {
    if (settled.status === 'rejected') throw settled.reason;
  }
}

async function expectEqual(backend: FollowedBackend): Promise<void> {
  await backend.applyPendingWrites();
  const { leader, follower, fresh } = await backend.snapshots();
  expect(follower).toEqual(fresh);
  expect(follower).toEqual(leader);
}

function expectNoDefect(settled: PromiseSettledResult<unknown>): void {
  const reason: unknown = settled.status === 'rejected' ? settled.reason : undefined;
  if (reason instanceof MonError && reason.code !== 'internal') return;
  expect(reason).toBeUndefined();
}

test('a follower has the same state as the leader and the store after any writes', async () => {
  const together = fc.oneof(
    { weight: 12, arbitrary: fc.array(step, { minLength: 1, maxLength: 3 }) },
    { weight: 1, arbitrary: fc.array(handlerStep, { minLength: 1, maxLength: 1 }) },
  );
  // `writesDuringCommit` and `writesAfterCommit` are numbers of writes that the follower applies during and after the
  // commit. During the commit, it may read data that is newer than the write.
  const batch = fc.record({
    steps: together,
    writesDuringCommit: fc.constantFrom(0, 0, 1, 3),
    writesAfterCommit: fc.constantFrom(0, 0, 1, 5, Infinity),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(batch, { minLength: 4, maxLength: 12, size: 'max' }), async (story) => {
      await using backend = await open(makeNamespace, makeHandler);
      for (const { steps, writesDuringCommit, writesAfterCommit } of story) {
        const [settled] = await Promise.all([
          backend.commit(
            ...steps.map(
              ({ act }) =>
                () =>
                  act(backend),
            ),
          ),
          backend.applyPendingWrites(writesDuringCommit),
        ]);
        settled.forEach(expectNoDefect);
        await backend.applyPendingWrites(writesAfterCommit);
        if (writesAfterCommit === Infinity) await expectEqual(backend);
      }
      await expectEqual(backend);
      const now = Math.floor(backend.nowMs / 1000) + YEAR_S;
      expect(staleAt(backend.follower, now)).toEqual(staleAt(await backend.loaded(), now));
    }),
    { numRuns: propertyRuns(RUNS) },
  );
}, 300_000);

const report =
  (at: string, source: string, more: Readonly<Record<string, unknown>> = {}): Act =>
  ({ writers }) =>
    writers.results.submit(at, [{ name: 'cpu', source, status: 2, output: 'hot', ...more }]);

const removeClient =
  (at: string, name: string, expireSeconds?: number): Act =>
  ({ writers }) =>
    writers.clients.remove(at, name, { expireSeconds });

const deliver =
  (at: string, id: number): Act =>
  ({ writers }) =>
    new Promise((resolve) => {
      const results = [{ id, check: { name: 'cpu', status: 0, output: '', executed: 1 } }];
      const asked = { cancellation: { isCancelled: false }, admission: () => undefined };
      writers.results.submitFromAgent(at, { client: 'a', spool: 's', results, ...asked }, () => undefined, resolve);
    });

const putUser =
  (disabled: boolean): Act =>
  ({ writers }) =>
    writers.users.put({ username: 'bob', password_hash: '$2b$04$abc', groups: [], disabled }, BACKEND_ACTOR);

const putPlan =
  (state: 'open' | 'done'): Act =>
  ({ batcher }) =>
    batcher.run((transaction) => transaction.put(PLANS, plansOf(transaction.registry), 1, aPlan(state)));

const removePlan: Act = ({ batcher }) =>
  batcher.run((transaction) => transaction.remove(PLANS, plansOf(transaction.registry), 1));

/** Returns an upgrade plan that rejects results while it is open. */
function aPlan(state: 'open' | 'done'): StoredPlan {
  const drained = { title: '', details: [], state: 'done', started_at: 1, ended_at: 2, note: '' } as const;
  return {
    plan: {
      id: 1,
      revision: 1,
      from: '1.9.0',
      to: '2.0.0',
      created_at: ManualClock.START_MS,
      created_by: 'ada',
      state,
      holder: null,
      verdict: 'pass',
      findings: [],
      steps: [{ id: 'drain', kind: 'action', action: 'drain', ...drained }],
      backup: null,
      entities: null,
      log: [{ at: ManualClock.START_MS, step: null, text: state }],
    },
    facts: {},
  };
}

/** Defers the notification of a resolution until the silence of the event ends. */
function deferred(client: string, check: string, ...handlers: readonly string[]): Act {
  return ({ batcher }) =>
    batcher.run((transaction) => {
      const { client: about, check: result, ...event } = anEvent({ action: 'resolve', silenced_by: ['*:cpu'] });
      const resolved = { ...event, client: { ...about, name: client }, check: { ...result, name: check } };
      deferResolution(transaction, transaction.registry.namespace('default'), resolved, ['page', ...handlers]);
    });
}

const noLongerDeferred: Act = ({ batcher }) =>
  batcher.run((transaction) => {
    const namespace = transaction.registry.namespace('default');
    const all = Array.from(pendingResolutionsOf(namespace).all());
    for (const pending of all) removePendingResolution(transaction, namespace, pending);
  });

const forgetClients: Act = async (backend) => {
  backend.machine.advance(3_600_000);
  await backend.commit(() => backend.writers.clients.removeExpiredBan('default', 'a'));
};

const emptyDev: readonly Act[] = [({ writers }) => writers.namespaces.remove('dev', () => undefined, BACKEND_ACTOR)];

/** Returns a report of a result whose handler groups its notifications. */
function groupReport(source: string, more: Readonly<Record<string, unknown>> = {}): Act {
  return report('default', source, { handlers: ['grouping'], ...more });
}

/** Replaces the inhibition rules: events of this check inhibit the failing events with the same `client.rack`. */
const inhibit =
  (check: string): Act =>
  ({ foundation }) => {
    const rule = { source: `check=${check}`, target: 'status>=warn', equal: ['client.rack'] };
    foundation.definitions.replace({ checks: new Map(), handlers: new Map(), inhibitions: new Map([['rule', rule]]) });
    return Promise.resolve();
  };

const settleRules =
  (...marks: readonly string[]): Act =>
  ({ batcher }) =>
    new InhibitionUpdates(batcher).recordEvaluatedRules(marks);

const flushGroups: Act = async (backend) => {
  backend.machine.advance(3_600_000);
  const { batcher, foundation } = backend;
  const turns = new GroupFlusher({ batcher, definitions: foundation.definitions, clock: foundation.clock });
  const groups = [...groupsOf(foundation.registry.namespace('default')).all()];
  for (const group of groups) await turns.flush(group);
};

/** Actions for each table that create, change and delete its entries. */
const EXAMPLES: Readonly<Record<string, readonly Act[]>> = {
  silenced: [
    ({ writers }) => writers.silenced.create('default', { subscription: 'web', check: 'cpu' }),
    ({ writers }) => writers.silenced.create('default', { subscription: 'web', check: 'cpu', reason: 'why' }),
    ({ writers }) => writers.silenced.clear('default', { id: 'web:cpu' }),
  ],
  'silenced-use': [
    ({ writers }) => writers.silenced.create('default', { check: 'cpu' }),
    report('default', 'a', { handlers: ['page'] }),
    report('default', 'a', { handlers: ['page'] }),
    ({ writers }) => writers.silenced.create('default', { check: 'cpu' }),
  ],
  upgrade: [putPlan('open'), removePlan, putPlan('done')],
  client: [
    ({ writers }) => writers.clients.put('default', { name: 'a', address: '192.0.2.1', subscriptions: ['web'] }),
    ({ writers }) => writers.clients.put('default', { name: 'a', address: '192.0.2.2', subscriptions: ['db'] }),
    removeClient('default', 'a'),
  ],
  'aggregate-deletion': [
    report('dev', 'a', { aggregates: ['fleet', 'web'] }),
    ({ writers }) => writers.aggregates.remove('dev', 'fleet'),
    report('dev', 'a', { aggregates: ['fleet', 'web'] }),
    ({ writers }) => writers.aggregates.remove('dev', 'fleet'),
    removeClient('dev', 'a'),
    ...emptyDev,
  ],
  check: [
    report('default', 'a', { ttl: 30 }),
    report('default', 'a', { status: 0 }),
    ({ writers }) => writers.results.remove('default', 'a', 'cpu'),
  ],
  series: [
    report('default', 'a', { output: 'OK | load=1;5;10', executed: 1000 }),
    report('default', 'a', { output: 'OK | load=2;5;10', executed: 2000 }),
    report('default', 'a', { output: 'OK | load=3 time=1s', executed: 9000 }),
    ({ writers }) => writers.results.remove('default', 'a', 'cpu'),
    report('default', 'a', { duration: 1 }),
    removeClient('default', 'a'),
  ],
  'handler-group': [groupReport('a'), groupReport('b'), flushGroups, groupReport('a', { status: 0 }), flushGroups],
  'handler-group-event': [
    groupReport('a'),
    groupReport('a', { status: 1 }),
    groupReport('a', { status: 0 }),
    groupReport('b'),
  ],
  'handler-group-told': [groupReport('a'), flushGroups],
  'pending-resolution': [deferred('a', 'cpu'), deferred('b', 'cpu'), noLongerDeferred, deferred('a', 'cpu', 'b')],
  inhibitor: [
    inhibit('cpu'),
    ({ writers }) => writers.clients.put('default', { name: 'a', address: '192.0.2.1', rack: 'x' }),
    report('default', 'a', { handlers: ['page'] }),
    ({ writers }) => writers.clients.put('default', { name: 'a', address: '192.0.2.1', rack: 'y' }),
    report('default', 'a', { handlers: ['page'] }),
    report('default', 'b', { handlers: ['page'] }),
    report('default', 'a', { status: 0, handlers: ['page'] }),
  ],
  'inhibition-rules': [settleRules('first'), settleRules(), settleRules('first', 'second')],
  'ttl-definitions': [
    ({ batcher }) => saveTtlDefinitions(batcher, new Map([['default/cpu', null]])),
    ({ batcher }) => saveTtlDefinitions(batcher, new Map([['default/cpu', 1_800_000_000]])),
  ],
  stash: [
    ({ writers }) => writers.stashes.put('default', { path: 'a/b', content: {} }),
    // The expiry is long, because every turn of the event loop during a commit advances the clock.
    ({ writers }) => writers.stashes.put('default', { path: 'a/b', content: {}, expireSeconds: 3600 }),
    ({ writers }) => writers.stashes.remove('default', 'a/b'),
  ],
  'on-call-override': [
    ({ writers, foundation, nowMs }) => {
      const people = new Map([['ada', { notify: ['page'] }]]);
      const schedules = new Map([['database', { 'time-zone': 'UTC', layers: [{ people: ['ada'] }] }]]);
      foundation.definitions.onCall.replace(schedules, people);
      const until = Math.floor(nowMs / 1000) + 3600;
      return writers.onCallOverrides.create('database', { person: 'ada', until }, 'bob', BACKEND_ACTOR);
    },
    async ({ writers, foundation }) => {
      const [override] = overridesOf(foundation.registry).sorted();
      await writers.onCallOverrides.remove('database', override?.id ?? '', BACKEND_ACTOR);
    },
    ({ writers, nowMs }) => {
      const until = Math.floor(nowMs / 1000) + 7200;
      return writers.onCallOverrides.create('database', { person: 'ada', until }, 'bob', BACKEND_ACTOR);
    },
  ],
  spool: [deliver('dev', 1), deliver('dev', 2), removeClient('dev', 'a'), ...emptyDev],
  invalidated: [report('default', 'a'), removeClient('default', 'a', 60), forgetClients],
  tombstone: [report('default', 'a'), removeClient('default', 'a'), forgetClients],
  definition: [
    makeHandler,
    ({ writers }) =>
      writers.definitionChanges.write(
        'handlers',
        'default',
        'page',
        () => handlerObject('page', 'default', 2),
        BACKEND_ACTOR,
      ),
    ({ writers }) => writers.definitionChanges.remove('handlers', 'default', 'page', () => undefined, BACKEND_ACTOR),
  ],
  namespace: [({ writers }) => writers.namespaces.put('qa', () => undefined, BACKEND_ACTOR), ...emptyDev],
  user: [putUser(false), putUser(true)],
  'api-key': [
    putUser(false),
    ({ writers }) =>
      writers.apiKeys.grant({ username: 'bob', scopes: [] as never }, { actor: BACKEND_ACTOR, scopes: new Set() }),
    async ({ writers, foundation }) => {
      const [id = ''] = foundation.registry.credentials.apiKeys.keys();
      await writers.apiKeys.revoke(id, BACKEND_ACTOR);
    },
  ],
  session: [
    putUser(false),
    ({ writers }) => openSession(writers, 'bob'),
    async (backend) => {
      const { accessToken, refreshToken } = await openSession(backend.writers, 'bob');
      await backend.writers.sessions.close(accessToken, refreshToken);
    },
  ],
  'token-key': [putUser(false), ({ writers }) => openSession(writers, 'bob')],
  'audit-head': [
    makeNamespace,
    ({ writers }) => writers.audit.record(BACKEND_ACTOR, { action: 'dump', target: 'User' }),
  ],
  'timeline-head': [report('default', 'a'), report('default', 'a', { status: 0 })],
};

test('this test file contains an example change for each table', () => {
  expect(Object.keys(EXAMPLES)).toEqual(TABLES.map(({ prefix }) => prefix));
});

test.each(Object.entries(EXAMPLES))('a follower applies every change in the table %s', async (prefix, acts) => {
  await using backend = await open(makeNamespace, makeHandler, makeGrouping);
  await backend.applyPendingWrites();
  const before = snapshotOf(backend.follower, backend.nowMs);
  let touched = 0;
  for (const act of acts) {
    await perform(backend, act);
    touched += backend.pendingWrites.flat().filter(([part]) => part === prefix).length;
    await expectEqual(backend);
  }
  expect(touched).toBeGreaterThan(0);
  expect(snapshotOf(backend.follower, backend.nowMs)).not.toEqual(before);
});

test.each<{ title: string; acts: readonly Act[]; silenced: readonly number[] }>([
  {
    title: 'the event of a member opens and ends',
    acts: [
      ({ writers }) => writers.silenced.create('default', { check: 'cpu' }),
      report('default', 'a', { status: 0, aggregates: ['fleet'] }),
      report('default', 'a', { aggregates: ['fleet'] }),
      report('default', 'a', { status: 0, aggregates: ['fleet'] }),
    ],
    silenced: [0, 0, 1, 0],
  },
  {
    title: 'the client of a member subscribes',
    acts: [
      ({ writers }) => writers.silenced.create('default', { subscription: 'web' }),
      report('default', 'a', { aggregates: ['fleet'] }),
      ({ writers }) => writers.clients.put('default', { name: 'a', address: '192.0.2.1', subscriptions: ['web'] }),
      ({ writers }) => writers.clients.put('default', { name: 'a', address: '192.0.2.1', subscriptions: [] }),
    ],
    silenced: [0, 0, 1, 0],
  },
  {
    title: 'a pending silence becomes active and expires without a write',
    acts: [
      report('default', 'a', { aggregates: ['fleet'] }),
      ({ writers, nowMs }) =>
        writers.silenced.create('default', { check: 'cpu', begin: Math.ceil(nowMs / 1000) + 60, expire: 60 }),
      ({ machine }) => Promise.resolve(machine.advance(61_000)),
      ({ machine }) => Promise.resolve(machine.advance(61_000)),
    ],
    silenced: [0, 0, 1, 0],
  },
])('a follower counts silenced aggregate members when $title', async ({ acts, silenced }) => {
  await using backend = await open();
  const counts: number[] = [];
  for (const act of acts) {
    await perform(backend, act);
    await expectEqual(backend);
    const { aggregates } = backend.follower.namespace('default');
    counts.push(...aggregates.sorted().map((aggregate) => aggregates.silenced(aggregate, backend.nowMs).size));
    if (aggregates.sorted().length === 0) counts.push(0);
  }
  expect(counts).toEqual(silenced);
});

test('a follower keeps unchanged objects in memory instead of replacing them', async () => {
  await using backend = await open(report('default', 'a'), ({ writers }) =>
    writers.clients.put('default', { name: 'a', address: '192.0.2.1', subscriptions: [] }),
  );
  await backend.applyPendingWrites();
  const { follower } = backend;
  const namespace = follower.namespace('default');
  const [client, check] = [namespace.clients.get('a'), namespace.check('a', 'cpu')];
  const { generation } = follower;
  await perform(backend, report('default', 'a', { status: 1 }), ({ writers }) =>
    writers.clients.put('default', { name: 'a', address: '192.0.2.2', subscriptions: ['web'] }),
  );
  await expectEqual(backend);
  expect(follower.namespace('default').clients.get('a')).toBe(client);
  expect(namespace.check('a', 'cpu')).toBe(check);
  expect(check?.status).toBe(1);
  expect(follower.generation).toBe(generation);
});

test('a follower ignores a result of a deleted client and applies a result of a client created again', async () => {
  await using backend = await open(report('default', 'a'), report('default', 'b'), removeClient('default', 'a'));
  await backend.applyPendingWrites(2);
  expect([...backend.follower.namespace('default').clients.keys()]).toEqual(['b']);
  await expectEqual(backend);
  await backend.follower.applyWrites(only(backend.foundation.store, 'check'), [
    ['client', 'default', 'b'],
    ['check', 'default', 'b', 'cpu'],
  ]);
  expect(backend.follower.namespace('default').clients.size).toBe(0);
});

/** Returns a store whose `getMany` returns only values with this key prefix. */
function only(store: Store, prefix: string): Pick<Store, 'getMany' | 'scan'> {
  return {
    scan: (...asked) => store.scan(...asked),
    getMany: async (keys) =>
      (await store.getMany(keys)).map((text, at) => (keys[at]?.[0] === prefix ? text : undefined)),
  };
}

test('a result after the deletion of its aggregate stays a member on a follower if both are applied together', async () => {
  const aggregates = ['fleet'];
  await using backend = await open(report('default', 'a', { aggregates }), report('default', 'b', { aggregates }));
  await backend.applyPendingWrites();
  await perform(backend, report('default', 'a', { aggregates }));
  await perform(backend, ({ writers }) => writers.aggregates.remove('default', 'fleet'));
  await perform(backend, report('default', 'a', { aggregates }));
  const fleet = (): string[] =>
    [...(backend.follower.namespace('default').aggregates.get('fleet')?.members() ?? [])].map(
      ({ client }) => client.name,
    );
  await backend.applyPendingWrites(1);
  expect(fleet()).toEqual(['a', 'b']);
  await backend.applyPendingWrites(1);
  expect(fleet()).toEqual(['a']);
  await expectEqual(backend);
});

test('a follower counts a client that was created again toward the quota of its new creator', async () => {
  await using backend = await open(
    deliver('default', 1),
    ({ writers }) =>
      new Promise((resolve) => {
        const results = [{ id: 2, check: { name: 'cpu', source: 'p', status: 0, output: '', executed: 1 } }];
        const asked = { cancellation: { isCancelled: false }, admission: () => undefined };
        writers.results.submitFromAgent(
          'default',
          { client: 'a', spool: 's', results, ...asked },
          () => undefined,
          resolve,
        );
      }),
  );
  await expectEqual(backend);
  expect(backend.follower.namespace('default').counted.proxiesOf('a')).toBe(1);
  await perform(backend, removeClient('default', 'p'));
  await perform(backend, report('default', 'p'));
  await expectEqual(backend);
  expect(backend.follower.namespace('default').clients.get('p')).toMatchObject({ isCounted: false });
});

test('a follower removes a deleted namespace only when the namespace is empty', async () => {
  await using backend = await open(makeNamespace, report('dev', 'a'));
  await backend.applyPendingWrites();
  await perform(backend, removeClient('dev', 'a'));
  await perform(backend, ...emptyDev);
  await perform(backend, makeNamespace);
  await perform(backend, report('dev', 'b'));
  await backend.applyPendingWrites(2);
  expect([...(backend.follower.findNamespace('dev')?.clients.keys() ?? [])]).toEqual([]);
  await expectEqual(backend);
  await perform(backend, removeClient('dev', 'b'));
  await perform(backend, ...emptyDev);
  await expectEqual(backend);
  expect(backend.follower.findNamespace('dev')).toBeUndefined();
});

test('after an upgrade plan ends, a follower waits for late results as long as the leader', async () => {
  await using backend = await open(putPlan('open'));
  await backend.applyPendingWrites();
  const plans = plansOf(backend.follower);
  expect(() => plans.refuseWhileDraining()).toThrow('results are not accepted during an upgrade');
  await perform(backend, putPlan('done'));
  await backend.applyPendingWrites();
  expect(() => plans.refuseWhileDraining()).not.toThrow();
  expect([plans.isAwaitingBacklog(backend.nowMs), plans.isAwaitingBacklog(backend.nowMs + 60_000)]).toEqual([
    true,
    false,
  ]);
});

test('a follower reloads its whole state after a clock correction, but not after a new time anchor', async () => {
  await using backend = await open(report('default', 'a'), ({ writers }) =>
    writers.silenced.create('default', { check: 'cpu', expire: 7200 }),
  );
  await backend.applyPendingWrites();
  await backend.pass(2);
  expect(backend.pendingWrites.flat()).toContainEqual(['time']);
  await expectEqual(backend);
  const { generation } = backend.follower;
  backend.machine.set(3_600_000);
  await backend.pass(62);
  expect(backend.foundation.registry.corrections.seconds).toEqual([3600]);
  await expectEqual(backend);
  expect(backend.follower.generation).toBe(generation + 1);
});

test('a follower shows a write only after it has read the write completely', async () => {
  await using backend = await open(makeNamespace);
  await backend.applyPendingWrites();
  await perform(backend, report('default', 'a'), putUser(false), ({ writers }) =>
    writers.silenced.create('dev', { check: 'x' }),
  );
  const { follower, nowMs } = backend;
  const { store } = backend.foundation;
  const before = snapshotOf(follower, nowMs);
  let reads = 0;
  const watched = (fails: boolean): Pick<Store, 'getMany' | 'scan'> => ({
    async getMany(keys) {
      const texts = await store.getMany(keys);
      expect(snapshotOf(follower, nowMs)).toEqual(before);
      reads++;
      return texts;
    },
    async *scan(prefix) {
      yield* store.scan(prefix);
      expect(snapshotOf(follower, nowMs)).toEqual(before);
      reads++;
      if (fails) throw new MonError('unavailable', 'the disk does not read');
    },
  });
  const keys = backend.pendingWrites.flat();
  await expect(follower.applyWrites(watched(true), keys)).rejects.toThrow('the disk does not read');
  expect(snapshotOf(follower, nowMs)).toEqual(before);
  await follower.applyWrites(watched(false), keys);
  expect(reads).toBeGreaterThan(3);
  await expectEqual(backend);
});

test('a follower reads changed values in pages of limited size and ignores unknown tables', async () => {
  await using backend = await open(({ writers }) =>
    writers.results.submit(
      'default',
      Array.from({ length: 1200 }, (_, at) => ({ name: 'cpu', source: `c-${String(at)}`, status: 0, output: '' })),
    ),
  );
  const pages: number[] = [];
  const { store } = backend.foundation;
  const counted: Pick<Store, 'getMany' | 'scan'> = {
    scan: (...asked) => store.scan(...asked),
    getMany(keys) {
      pages.push(keys.length);
      return store.getMany(keys);
    },
  };
  const held = backend.pendingWrites.flat().filter(([prefix]) => prefix === 'client' || prefix === 'check');
  await backend.follower.applyWrites(counted, [
    ...held,
    ['change', 1],
    ['audit', 1],
    ['handler-job', 1],
    ['dead-letter', 1],
  ]);
  expect(pages).toEqual([1000, 1000, 400]);
  await expectEqual(backend);
});
