import { expect, onTestFinished, test, vi } from 'vitest';
import { Batcher, type BatcherOptions } from '../../../../daemon/backend/commit/batcher.ts';
import type { Transaction } from '../../../../daemon/backend/model/transaction/transaction.ts';
import type { ChangeRecord } from '../../../../daemon/backend/ports.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { UnsettledWriteError } from '../../../../daemon/backend/store/unsettled-write.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { MonError } from '../../../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { FaultyStore } from '../../../support/faulty-store.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';
import { saveClient } from '../../../../daemon/backend/model/clients/mutations.ts';

interface Rig {
  readonly batcher: Batcher;
  readonly store: FaultyStore;
  readonly registry: Registry;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  /** The committed change records, one for each write. */
  readonly records: readonly ChangeRecord[];
}

async function openRig(options?: BatcherOptions): Promise<Rig> {
  const store = new FaultyStore(await openLevelStore(await tempDir()));
  const registry = new Registry(TABLES);
  await registry.load(store);
  const clock = new ManualClock();
  const log = new RecordedLog();
  const lease = await store.acquire('main', 30_000);
  const batcher = new Batcher({ registry, store, lease, clock, log }, options);
  const records: ChangeRecord[] = [];
  // The first client also adds a set of attributes, which is not the subject of these tests.
  await store.watch('main', 0, ({ changes, ...record }) =>
    records.push({ ...record, changes: changes.filter(([kind]) => kind !== 'attributes') }),
  );
  onTestFinished(async () => {
    await batcher.close();
    await store.close();
  });
  return { batcher, store, registry, clock, log, records };
}

/** Returns a change that creates a client. */
const put =
  (name: string) =>
  (transaction: Transaction): void => {
    const namespace = transaction.registry.namespace(DEFAULT_NAMESPACE);
    const client = { name, address: '192.0.2.1', subscriptions: [], timestamp: transaction.now, version: '1.9.0' };
    saveClient(transaction, namespace, client, { signature: '' });
  };

const clientsOf = (registry: Registry): string[] => [...registry.namespace(DEFAULT_NAMESPACE).clients.keys()];

/** Returns the names of the clients that a new process would load from the store. */
async function storedClients(store: FaultyStore): Promise<string[]> {
  const registry = new Registry(TABLES);
  await registry.load(store);
  return clientsOf(registry);
}

/** Enqueues a command of this weight, and returns the error with which it failed, or `undefined`. */
function enqueueAndSettle(batcher: Batcher, name: string, weight: number): Promise<MonError | undefined> {
  return new Promise((resolve) => {
    batcher.enqueue({ weight, apply: put(name), settle: resolve });
  });
}

test('commands that arrive within the batch delay are committed in one write, in order', async () => {
  const { batcher, clock, records } = await openRig({ lingerMs: 2 });
  const runs = ['c', 'a', 'b'].map((name) => batcher.run(put(name)));
  clock.advance(1);
  expect(records).toEqual([]);
  clock.advance(1);
  await Promise.all(runs);
  expect(records).toEqual([{ seq: 1, changes: ['c', 'a', 'b'].map((name) => ['client', DEFAULT_NAMESPACE, name]) }]);
});

test('bulk commands wait for the longer batch delay unless an interactive command joins their batch', async () => {
  const { batcher, clock, records } = await openRig({ lingerMs: 2, bulkLingerMs: 5 });
  const enqueue = (name: string, isPatient: boolean): Promise<unknown> =>
    new Promise((settle) => batcher.enqueue({ weight: 1, isBulk: isPatient, apply: put(name), settle }));
  const patient = Array.from({ length: 7 }, (_, at) => enqueue(`a-${String(at)}`, true));
  clock.advance(4);
  patient.push(enqueue('b', true));
  expect(batcher.isIdle).toBe(true);
  clock.advance(1);
  await Promise.all(patient);
  expect(records.map(({ changes }) => changes.length)).toEqual([8]);

  const mixed = [enqueue('c', true), enqueue('d', false), enqueue('e', true)];
  clock.advance(1);
  expect(batcher.isIdle).toBe(true);
  clock.advance(1);
  await Promise.all(mixed);
  expect(records.map(({ changes }) => changes.length)).toEqual([8, 3]);

  // A bulk command that joined an earlier batch leaves no timer behind that would flush the next batch early.
  await Promise.all([enqueue('f', true), enqueue('g', false)]);
  const next = enqueue('h', true);
  clock.advance(4);
  expect(batcher.isIdle).toBe(true);
  clock.advance(1);
  await next;
  expect(records.map(({ changes }) => changes.length)).toEqual([8, 3, 2, 1]);
});

test('interactive commands are flushed early once they reach half the weight of the last batch', async () => {
  const { batcher, records } = await openRig({ lingerMs: 2 });
  await Promise.all(Array.from({ length: 64 }, (_, at) => batcher.run(put(`a-${String(at)}`))));

  // The first 32 commands are written while the others arrive; the others are then written without a batch delay.
  const half = Array.from({ length: 31 }, (_, at) => batcher.run(put(`b-${String(at)}`)));
  expect(batcher.isIdle).toBe(true);
  half.push(batcher.run(put('b-31')));
  expect(batcher.isIdle).toBe(false);
  half.push(...Array.from({ length: 32 }, (_, at) => batcher.run(put(`c-${String(at)}`))));
  await Promise.all(half);
  expect(records.map(({ changes }) => changes.length)).toEqual([64, 32, 32]);
});

test('a caller that sends one command after the other does not wait for the batch delay', async () => {
  const { batcher, clock, records } = await openRig({ lingerMs: 2 });
  const first = batcher.run(put('a'));
  clock.advance(2);
  await first;
  for (const name of ['b', 'c', 'd']) await batcher.run(put(name));
  expect(records.map(({ changes }) => changes.length)).toEqual([1, 1, 1, 1]);
});

test('a batch that reaches the batch limit does not wait for the batch delay', async () => {
  const { batcher, records } = await openRig({ batchLimit: 3 });
  await Promise.all(['a', 'b', 'c'].map((name) => batcher.run(put(name))));
  expect(records.map(({ changes }) => changes.length)).toEqual([3]);
});

test('a batch that reaches the early-flush threshold does not wait for the batch delay', async () => {
  const { batcher, records } = await openRig();
  await Promise.all(Array.from({ length: 64 }, (_, at) => batcher.run(put(`web-${String(at)}`))));
  expect(records.map(({ changes }) => changes.length)).toEqual([64]);
});

test('commands that arrive during a write are committed with the next batch', async () => {
  const { batcher, store, records } = await openRig({ batchLimit: 1 });
  const release = store.hold();
  const order: string[] = [];
  const runs = ['a', 'b', 'c', 'd'].map((name) => batcher.run(put(name)).then(() => order.push(name)));
  await vi.waitFor(() => expect(store.writes).toBe(1));
  expect(order).toEqual([]);
  release();
  await Promise.all(runs);
  expect(order).toEqual(['a', 'b', 'c', 'd']);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
});

test('a command completes only when its change is in the store', async () => {
  const { batcher, store } = await openRig({ batchLimit: 1 });
  for (let count = 1; count <= 5; count++) {
    await batcher.run(put(`web-${String(count)}`));
    expect(await storedClients(store)).toHaveLength(count);
  }
});

test('a command returns its value, and a command that changes nothing causes no write', async () => {
  const { batcher, records } = await openRig({ batchLimit: 1 });
  expect(await batcher.run(({ nowMs }) => nowMs)).toBe(ManualClock.START_MS);
  expect(records).toEqual([]);
});

test('a rejected command fails only for its own caller', async () => {
  const { batcher, clock, registry } = await openRig();
  const runs = [
    batcher.run(put('a')),
    batcher.run(() => {
      throw new MonError('not_found', 'there is no such thing');
    }),
    batcher.run(put('b')),
  ];
  clock.advance(2);
  expect(await Promise.allSettled(runs)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'not_found' } },
    { status: 'fulfilled' },
  ]);
  expect(clientsOf(registry)).toEqual(['a', 'b']);
});

test('the data that a command needs is read after the commit if the command before ends its batch', async () => {
  const { batcher, clock, records, registry } = await openRig();
  const asked: unknown[] = [];
  const needs = (): Iterable<object> => {
    asked.push([clientsOf(registry), records.length]);
    return [];
  };
  const runs = [batcher.run(put('a')), batcher.run(put('b'), { endsBatch: true }), batcher.run(put('c'), { needs })];
  clock.advance(2);
  await Promise.all(runs);
  expect(asked).toEqual([[['a', 'b'], 1]]);
  expect(records).toHaveLength(2);
});

test('a command that fails with a program error leaves no change and affects no other command', async () => {
  const { batcher, clock, registry, store, log } = await openRig();
  const runs = [
    batcher.run(put('a')),
    batcher.run((transaction) => {
      put('half')(transaction);
      throw new TypeError('cannot read properties of undefined');
    }),
    batcher.run(put('b')),
  ];
  clock.advance(2);
  expect(await Promise.allSettled(runs)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'internal', message: 'internal error' } },
    { status: 'fulfilled' },
  ]);
  expect(clientsOf(registry)).toEqual(['a', 'b']);
  expect(await storedClients(store)).toEqual(['a', 'b']);
  expect(log.messages('error')).toEqual(['change failed']);
});

test('a command that fails while it names the data it needs affects no other command', async () => {
  const { batcher, clock, registry } = await openRig();
  const runs = [
    batcher.run(put('a')),
    batcher.run(put('half'), {
      needs: () => {
        throw new TypeError('cannot read properties of undefined');
      },
    }),
  ];
  clock.advance(2);
  expect(await Promise.allSettled(runs)).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { code: 'internal' } },
  ]);
  expect(clientsOf(registry)).toEqual(['a']);
});

test('a failed write rejects the whole batch, restores the state, and later batches work', async () => {
  const { batcher, store, registry, records, log } = await openRig({ batchLimit: 1 });
  await batcher.run(put('before'));
  const { generation } = registry;
  let refusals = 0;
  store.refuses = () => refusals++ === 0;
  await expect(batcher.run(put('lost'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(clientsOf(registry)).toEqual(['before']);
  expect(registry.generation).toBeGreaterThan(generation);
  await batcher.run(put('after'));
  expect(await storedClients(store)).toEqual(['after', 'before']);
  expect(records.map(({ seq }) => seq)).toEqual([1, 2]);
  expect(log.messages('error')).toEqual(['store write failed']);
});

test('a command rejected because of an uncommitted change of its batch reports the failed write instead', async () => {
  const { batcher, store, clock } = await openRig();
  store.refuses = () => true;
  const isNew = batcher.run((transaction) => {
    if (transaction.registry.namespace(DEFAULT_NAMESPACE).clients.has('a')) throw new MonError('conflict', 'is there');
    put('a')(transaction);
  });
  const isThere = batcher.run((transaction) => {
    if (transaction.registry.namespace(DEFAULT_NAMESPACE).clients.has('a')) throw new MonError('conflict', 'is there');
  });
  clock.advance(2);
  expect(await Promise.allSettled([isNew, isThere])).toMatchObject([
    { reason: { code: 'unavailable' } },
    { reason: { code: 'unavailable' } },
  ]);
});

test('a batcher that could not reload its state after a failed write is not idle, and the next write retries', async () => {
  const { batcher, store, registry } = await openRig({ batchLimit: 1 });
  await batcher.run(put('before'));
  await vi.waitFor(() => expect(batcher.isIdle).toBe(true));
  let rests = 0;
  batcher.commits.onIdle(() => rests++);
  store.refuses = () => true;
  store.refusesScans = () => true;
  await expect(batcher.run(put('lost'))).rejects.toMatchObject({ code: 'unavailable' });
  await expect(batcher.run(put('lost too'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(batcher.isIdle).toBe(false);
  expect(rests).toBe(0);
  store.refuses = () => false;
  store.refusesScans = () => false;
  await batcher.run(put('after'));
  await vi.waitFor(() => expect(batcher.isIdle).toBe(true));
  expect(rests).toBe(1);
  expect(clientsOf(registry).toSorted()).toEqual(['after', 'before']);
});

test('a state that could not be reloaded after a failed write is reloaded once the disk works', async () => {
  const { batcher, store, registry, clock, log } = await openRig({ batchLimit: 1 });
  await batcher.run(put('before'));
  store.refuses = () => true;
  store.refusesScans = () => true;
  await expect(batcher.run(put('lost'))).rejects.toMatchObject({ code: 'unavailable' });
  await vi.waitFor(() => expect(log.records).toHaveLength(2));
  clock.advance(250);
  await vi.waitFor(() => expect(log.records).toHaveLength(3));
  expect(batcher.isIdle).toBe(false);
  store.refusesScans = () => false;
  await vi.waitFor(() => {
    clock.advance(250);
    expect(batcher.isIdle).toBe(true);
  });
  expect(clientsOf(registry)).toEqual(['before']);
});

test('while the store is closed for writes, no change is applied or visible', async () => {
  const { batcher, store, registry, log } = await openRig({ batchLimit: 1 });
  await batcher.run(put('before'));
  store.refuses = () => true;
  await expect(batcher.run(put('lost'))).rejects.toMatchObject({ code: 'unavailable' });
  store.closedFor = new MonError('unavailable', 'the disk fails');
  // A closed store rejects reads too, so the registry could not be restored.
  store.refusesScans = () => true;
  const { writes } = store;
  await expect(batcher.run(put('lost too'))).rejects.toMatchObject({ code: 'unavailable' });
  expect(store.writes).toBe(writes);
  expect(clientsOf(registry)).toEqual(['before']);
  expect(batcher.isFailing).toBe(true);
  store.refuses = () => false;
  store.mend();
  expect(batcher.isFailing).toBe(false);
  expect(log.messages('info')).toEqual(['the store accepts writes again']);
  await batcher.run(put('after'));
  expect(clientsOf(registry)).toEqual(['before', 'after']);
});

test('commands that are queued when the store closes for writes are rejected without being applied', async () => {
  const { batcher, clock, store, registry } = await openRig({ lingerMs: 10 });
  const before = batcher.run(put('before'));
  clock.advance(10);
  await before;
  const { writes } = store;
  const waiting = batcher.run(put('lost'));
  store.closedFor = new MonError('unavailable', 'the disk fails');
  store.refuses = () => true;
  clock.advance(10);
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  expect(store.writes).toBe(writes);
  expect(clientsOf(registry)).toEqual(['before']);
});

test('a failed write says "try again" only if it was certainly not stored', async () => {
  const { batcher, store } = await openRig({ batchLimit: 1 });
  store.refuses = () => true;
  await expect(batcher.run(put('lost'))).rejects.toThrow(/try again later$/);
  store.refuses = () => {
    throw new UnsettledWriteError('/var/lib/mon', new Error('EIO'));
  };
  await expect(batcher.run(put('perhaps'))).rejects.toThrow(/check when the disk works again, before you retry$/);
  store.refuses = () => true;
  store.refusesScans = () => true;
  await expect(batcher.run(put('still shown'))).rejects.toThrow(/check when the disk works again, before you retry$/);
});

test('a command beyond the queue limit is rejected at once, but one large command is accepted alone', async () => {
  const { batcher, store } = await openRig({ queueLimit: 10, batchLimit: 1 });
  const release = store.hold();
  const large = enqueueAndSettle(batcher, 'large', 100);
  expect(batcher.queued).toBe(100);
  expect(() => batcher.enqueue({ weight: 1, apply: put('b'), settle: () => undefined })).toThrow(
    expect.objectContaining({ code: 'unavailable' }),
  );
  release();
  expect(await large).toBeUndefined();
  expect(batcher.queued).toBe(0);
  expect(await enqueueAndSettle(batcher, 'c', 1)).toBeUndefined();
});

test('idle listeners are called after every commit, at a time when memory and store agree', async () => {
  const { batcher, store, registry } = await openRig({ batchLimit: 1 });
  const seen: number[] = [];
  const listener = batcher.commits.onIdle(() => seen.push(clientsOf(registry).length));
  const release = store.hold();
  const runs = ['a', 'b', 'c'].map((name) => batcher.run(put(name)));
  expect(batcher.isIdle).toBe(false);
  release();
  await Promise.all(runs);
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]));
  listener[Symbol.dispose]();
  await batcher.run(put('d'));
  expect(seen).toEqual([1, 2, 3]);
});

test('closing the batcher commits queued commands and rejects later commands', async () => {
  const { batcher, store } = await openRig();
  const waiting = batcher.run(put('a'));
  await batcher.close();
  await waiting;
  expect(await storedClients(store)).toEqual(['a']);
  await expect(batcher.run(put('b'))).rejects.toMatchObject({ code: 'unavailable' });
});

test('the record of a commit contains the number of its results', async () => {
  const { batcher } = await openRig({ batchLimit: 1 });
  await batcher.run((transaction) => {
    transaction.resultCount += 3;
  });
  expect(batcher.committedResults).toBe(3);
});

test('a command whose response cannot be sent does not block the batcher', async () => {
  const { batcher, clock, log } = await openRig();
  batcher.enqueue({
    weight: 1,
    apply: put('a'),
    settle: () => {
      throw new Error('the socket is gone');
    },
  });
  const after = batcher.run(put('b'));
  clock.advance(2);
  await after;
  expect(log.messages('error')).toEqual(['could not send the response to a request']);
});

test('every write is announced with its sequence number, even a write made directly on the store', async () => {
  const { batcher, store, records } = await openRig({ batchLimit: 1 });
  const committedSeqs: number[] = [];
  batcher.commits.onCommit(({ seq }) => committedSeqs.push(seq));
  await batcher.run(put('a'));
  await batcher.runExclusively(async () => void (await store.write(await store.acquire('main', 30_000), [], [])));
  expect(committedSeqs).toEqual([1, 2]);
  expect(records.map(({ seq }) => seq)).toEqual(committedSeqs);
});

test('a commit listener that fails does not prevent other listeners from being called', async () => {
  const { batcher } = await openRig({ batchLimit: 1 });
  const defects: unknown[] = [];
  const noteDefect = (error: unknown): void => void defects.push(error);
  const others = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException').on('uncaughtException', noteDefect);
  onTestFinished(() => {
    process.removeAllListeners('uncaughtException');
    for (const listener of others) process.on('uncaughtException', listener);
  });
  const defect = new TypeError('a listener');
  const committedSeqs: number[] = [];
  batcher.commits.onCommit(() => {
    throw defect;
  });
  batcher.commits.onCommit(({ seq }) => committedSeqs.push(seq));
  await batcher.run(put('a'));
  expect(committedSeqs).toEqual([1]);
  expect(batcher.failedWrites).toBe(0);
  await vi.waitFor(() => expect(defects).toEqual([defect]));
});
