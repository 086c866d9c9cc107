import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test, vi } from 'vitest';
import {
  DELIVERED_OUTCOME,
  permanentFailure,
  retryableFailure,
} from '../../../../../daemon/backend/notify/delivery/outcome.ts';
import { aHandler, openHandlerRig, type HandlerRig } from '../../../../support/handler-rig.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

/** Waits for twenty turns of the event loop, after which no further run starts by itself. */
async function waitUntilIdle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await turn();
}

/** Returns client and check of the started runs. */
const startedRuns = ({ startedRuns: runs }: HandlerRig): string[] =>
  runs.map(({ job }) => `${job.client}/${job.check}`);

const retry = { attempts: 3, delay: 2, max_delay: 60 };

describe('the order of handler jobs', () => {
  test('jobs of a handler start in the order of their events, up to the concurrency of the handler', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 2 }) } });
    await rig.ask('mail', ['a', 'disk'], ['b', 'disk'], ['c', 'disk'], ['d', 'disk']);
    await rig.run(1);
    await waitUntilIdle();
    expect(startedRuns(rig)).toEqual(['a/disk', 'b/disk']);
    (await rig.run(1)).end(DELIVERED_OUTCOME);
    await rig.run(2);
    await waitUntilIdle();
    expect(startedRuns(rig)).toEqual(['a/disk', 'b/disk', 'c/disk']);
    expect(rig.lanes.statistics().get('mail')).toMatchObject({ waiting: 1, running: 2, retrying: 0, delivered: 1 });
  });

  test('jobs of one client and check run one after the other, in order', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 2 }) } });
    await rig.ask('mail', ['a', 'disk'], ['a', 'disk'], ['b', 'disk'], ['c', 'disk']);
    await rig.run(1);
    await waitUntilIdle();
    expect(startedRuns(rig)).toEqual(['a/disk', 'b/disk']);
    (await rig.run(0)).end(DELIVERED_OUTCOME);
    await rig.run(2);
    // The second job of `a/disk` was queued before the job of `c/disk`.
    expect(startedRuns(rig)).toEqual(['a/disk', 'b/disk', 'a/disk']);
  });

  test('jobs of one handler do not wait for jobs of another handler', async () => {
    const rig = await openHandlerRig({ handlers: { hung: aHandler({ concurrency: 1 }), mail: aHandler() } });
    await rig.ask('hung', ['a', 'disk'], ['b', 'disk']);
    await rig.ask('mail', ['a', 'disk'], ['b', 'disk']);
    await rig.run(2);
    expect(rig.startedRuns.map(({ job }) => job.handler)).toEqual(['hung', 'mail', 'mail']);
  });

  test('a reload that changes the concurrency of a handler applies from the next job on', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 1 }) } });
    await rig.ask('mail', ['a', 'disk'], ['b', 'disk'], ['c', 'disk']);
    const first = await rig.run(0);
    rig.definitions.replace({ checks: new Map(), handlers: new Map([['mail', aHandler({ concurrency: 2 })]]) });
    first.end(DELIVERED_OUTCOME);
    await rig.run(2);
    expect(startedRuns(rig)).toEqual(['a/disk', 'b/disk', 'c/disk']);
  });

  test('each of many queued jobs gets its complete event, even if memory holds only some of them', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 1 }) } });
    const pairs = Array.from({ length: 1500 }, (_, at): [string, string] => [`c-${String(at)}`, 'disk']);
    await rig.ask('mail', ...pairs);
    for (let at = 0; at < pairs.length; at++) (await rig.run(at)).end(DELIVERED_OUTCOME);
    expect(startedRuns(rig)).toEqual(pairs.map(([client]) => `${client}/disk`));
    expect(rig.startedRuns[1400]?.job.event.client['secret']).toBe('hunter2');
    await vi.waitFor(async () => expect(await rig.stored()).toEqual({ jobs: [], dead: [] }));
  });
});

describe('a finished job', () => {
  test('a finished handler job is removed from the store', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler() } });
    await rig.ask('mail', ['a', 'disk'], ['b', 'disk']);
    (await rig.run(0)).end(DELIVERED_OUTCOME);
    const { job } = await rig.run(1);
    await vi.waitFor(async () => expect(await rig.stored()).toEqual({ jobs: [job.id], dead: [] }));
    expect(rig.last.lastDeliveryForCheck('default', 'a', 'disk', 'mail')).toEqual({
      state: 'delivered',
      at: rig.clock.now(),
      attempts: 1,
    });
    expect(rig.last.lastDeliveryForCheck('default', 'b', 'disk', 'mail')).toMatchObject({
      state: 'running',
      attempts: 1,
    });
  });

  test('a finished job is not run again while the store rejects the removal of the job', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler() } });
    await rig.ask('mail', ['a', 'disk']);
    rig.store.refuses = () => true;
    (await rig.run(0)).end(DELIVERED_OUTCOME);
    const complaint = 'could not store the outcomes of handler runs, retrying soon';
    await vi.waitFor(() => expect(rig.log.messages('warn')).toEqual([complaint]));
    expect((await rig.stored()).jobs).toHaveLength(1);
    rig.store.refuses = () => false;
    rig.clock.advance(1000);
    await vi.waitFor(async () => expect((await rig.stored()).jobs).toEqual([]));
    expect(rig.startedRuns).toHaveLength(1);
  });

  test('a finished job is removed with the next commit even if the result queue is full', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 1 }) }, queueLimit: 3 });
    await rig.ask('mail', ['a', 'disk']);
    const { job, end } = await rig.run(0);
    const release = rig.store.hold();
    const asked = ['b', 'c', 'd'].map((client) => rig.ask('mail', [client, 'disk']));
    end(DELIVERED_OUTCOME);
    await waitUntilIdle();
    release();
    await Promise.all(asked);
    await vi.waitFor(async () => expect((await rig.stored()).jobs).not.toContain(job.id));
    expect(rig.log.records).toEqual([]);
  });

  test('jobs that finish at the same time are removed in one write', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 100 }) } });
    await rig.ask('mail', ...Array.from({ length: 100 }, (_, at): [string, string] => [String(at), 'disk']));
    await rig.run(99);
    const before = rig.store.writes;
    for (const run of rig.startedRuns) run.end(DELIVERED_OUTCOME);
    await vi.waitFor(async () => expect((await rig.stored()).jobs).toEqual([]));
    expect(rig.store.writes - before).toBeLessThanOrEqual(2);
  });
});

describe('a handler job that fails', () => {
  test('a failed job of a handler without retry becomes a dead letter at once', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler() } });
    await rig.ask('mail', ['a', 'disk']);
    const { job, end } = await rig.run(0);
    end(retryableFailure('exit status 1'));
    await vi.waitFor(() => expect(rig.deadLetters.size).toBe(1));
    expect(rig.deadLetters.all()).toEqual([
      {
        id: job.id,
        namespace: 'default',
        client: 'a',
        check: 'disk',
        handler: 'mail',
        queuedAtMs: rig.clock.now(),
        attempts: 1,
        failed_at: rig.clock.now(),
        reason: 'exit status 1',
      },
    ]);
    expect(await rig.stored()).toEqual({ jobs: [job.id], dead: [job.id] });
    expect(rig.last.lastDeliveryForCheck('default', 'a', 'disk', 'mail')).toMatchObject({
      state: 'failed',
      reason: 'exit status 1',
    });
  });

  test('a failed job is retried with growing delays, as its handler defines', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ retry }) } });
    await rig.ask('mail', ['a', 'disk']);
    (await rig.run(0)).end(retryableFailure('refused'));
    await vi.waitFor(() =>
      expect(rig.last.lastDeliveryForCheck('default', 'a', 'disk', 'mail')?.state).toBe('retrying'),
    );
    // The first retry delay is the middle between 2 and 4 seconds, the next one the middle between 2 and 8 seconds.
    rig.clock.advance(2999);
    await waitUntilIdle();
    expect(rig.startedRuns).toHaveLength(1);
    rig.clock.advance(1);
    (await rig.run(1)).end(retryableFailure('refused'));
    await vi.waitFor(() => expect(rig.lanes.statistics().get('mail')?.retried).toBe(2));
    rig.clock.advance(4999);
    await waitUntilIdle();
    expect(rig.startedRuns).toHaveLength(2);
    rig.clock.advance(1);
    const third = await rig.run(2);
    expect(third.attempt).toBe(3);
    third.end(retryableFailure('refused'));
    await vi.waitFor(() => expect(rig.deadLetters.all()).toMatchObject([{ attempts: 3, reason: 'refused' }]));
  });

  test('a failed job is not retried before the time that its receiver requests', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ retry }) } });
    await rig.ask('mail', ['a', 'disk']);
    (await rig.run(0)).end({ ...retryableFailure('busy'), retryAfterMs: 30_000 });
    await vi.waitFor(() =>
      expect(rig.last.lastDeliveryForCheck('default', 'a', 'disk', 'mail')?.state).toBe('retrying'),
    );
    rig.clock.advance(29_999);
    await waitUntilIdle();
    expect(rig.startedRuns).toHaveLength(1);
    rig.clock.advance(1);
    expect((await rig.run(1)).attempt).toBe(2);
  });

  test('a failed job whose error is permanent is not retried', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ retry }) } });
    await rig.ask('mail', ['a', 'disk']);
    (await rig.run(0)).end(permanentFailure('unknown mutator'));
    await vi.waitFor(() => expect(rig.deadLetters.all()).toMatchObject([{ attempts: 1 }]));
  });

  test('a webhook that fails is tried four times unless its definition sets another number', async () => {
    const hook = { type: 'webhook', url: 'http://192.0.2.1/' };
    const rig = await openHandlerRig({
      handlers: { chat: aHandler(hook), once: aHandler({ ...hook, retry: { attempts: 1 } }) },
    });
    await rig.ask('once', ['a', 'disk']);
    (await rig.run(0)).end(retryableFailure('refused'));
    await vi.waitFor(() => expect(rig.deadLetters.size).toBe(1));
    await rig.ask('chat', ['a', 'disk']);
    for (let attempt = 1; attempt <= 4; attempt++) {
      const run = await rig.run(attempt);
      expect(run.attempt).toBe(attempt);
      run.end(retryableFailure('refused'));
      await waitUntilIdle();
      rig.clock.advance(60_000);
    }
    await vi.waitFor(() => expect(rig.deadLetters.all()).toMatchObject([{}, { handler: 'chat', attempts: 4 }]));
  });

  test('a job that waits for its retry blocks only jobs of its client and check', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ retry, concurrency: 1 }) } });
    await rig.ask('mail', ['a', 'disk'], ['a', 'disk'], ['b', 'disk']);
    (await rig.run(0)).end(retryableFailure('refused'));
    (await rig.run(1)).end(DELIVERED_OUTCOME);
    await waitUntilIdle();
    expect(startedRuns(rig)).toEqual(['a/disk', 'b/disk']);
    expect(rig.lanes.statistics().get('mail')).toMatchObject({ waiting: 1, running: 0, retrying: 1 });
    rig.clock.advance(3000);
    (await rig.run(2)).end(DELIVERED_OUTCOME);
    const last = await rig.run(3);
    expect(rig.startedRuns.map(({ job, attempt }) => [job.client, attempt])).toEqual([
      ['a', 1],
      ['b', 1],
      ['a', 2],
      ['a', 1],
    ]);
    expect(last.job.id).toBeGreaterThan(rig.startedRuns[0]?.job.id ?? Infinity);
  });

  test('a job of an undefined handler becomes a dead letter with this reason', async () => {
    const rig = await openHandlerRig({ handlers: {} });
    await rig.ask('mail', ['a', 'disk']);
    await vi.waitFor(() => expect(rig.deadLetters.all()).toMatchObject([{ reason: 'handler is not defined' }]));
    await rig.ask('debug', ['a', 'disk']);
    expect((await rig.run(0)).job.handler).toBe('debug');
  });
});

describe('the full queue of a handler', () => {
  test('jobs beyond the queue limit of a handler become dead letters with one log record', async () => {
    const rig = await openHandlerRig({ handlers: { mail: aHandler({ concurrency: 1, queue_limit: 2 }) } });
    await rig.ask('mail', ...Array.from({ length: 50 }, (_, at): [string, string] => [String(at), 'disk']));
    await vi.waitFor(() => expect(rig.deadLetters.size).toBe(47));
    expect(rig.deadLetters.all()[0]).toMatchObject({
      client: '3',
      attempts: 0,
      reason: 'the queue of the handler is full',
    });
    expect(rig.log.records.filter(({ level }) => level === 'error')).toHaveLength(1);
    expect(rig.lanes.statistics().get('mail')).toMatchObject({ waiting: 2, running: 1, failed: 47 });
    for (let at = 0; at < 3; at++) (await rig.run(at)).end(DELIVERED_OUTCOME);
    await rig.ask('mail', ['again', 'disk']);
    expect((await rig.run(3)).job.client).toBe('again');
  });
});

test('the default limit of a handler is 10,000 queued jobs besides the running ones', async () => {
  const rig = await openHandlerRig({
    handlers: { mail: aHandler(), ten: aHandler({ queue_limit: 10, concurrency: 1 }) },
  });
  expect(rig.lanes.maxUnfinishedRuns({ namespace: 'default', handler: 'mail' })).toBe(10_000 + 10);
  expect(rig.lanes.maxUnfinishedRuns({ namespace: 'default', handler: 'ten' })).toBe(11);
});

test('a handler counts as full while both its queue and the dead-letter queue are full', async () => {
  const rig = await openHandlerRig({
    handlers: { mail: aHandler({ concurrency: 1, queue_limit: 2 }), other: aHandler() },
    deadLettersMax: 5,
  });
  expect(rig.lanes.isFull('default', 'mail')).toBe(false);
  await rig.ask('mail', ...Array.from({ length: 3 }, (_, at): [string, string] => [String(at), 'disk']));
  expect(rig.lanes.isFull('default', 'mail')).toBe(false);
  await rig.ask('mail', ...Array.from({ length: 5 }, (_, at): [string, string] => [String(3 + at), 'disk']));
  await vi.waitFor(() => expect(rig.lanes.isFull('default', 'mail')).toBe(true));
  expect(rig.lanes.isFull('default', 'other')).toBe(false);
  (await rig.run(0)).end(DELIVERED_OUTCOME);
  await vi.waitFor(() => expect(rig.lanes.isFull('default', 'mail')).toBe(false));
  await rig.ask('mail', ['again', 'disk']);
  expect(rig.lanes.isFull('default', 'mail')).toBe(true);
  await rig.deadLetters.drop({ all: true });
  expect(rig.lanes.isFull('default', 'mail')).toBe(false);
});

describe('handler jobs after a restart', () => {
  test('unfinished handler jobs run again after a restart in order, each once', async () => {
    const dir = await tempDir();
    const handlers = { mail: aHandler({ concurrency: 1, retry }) };
    const before = await openHandlerRig({ dir, handlers });
    await before.ask('mail', ['a', 'disk'], ['b', 'disk'], ['c', 'disk'], ['d', 'disk']);
    (await before.run(0)).end(DELIVERED_OUTCOME);
    await before.run(1);
    await vi.waitFor(async () => expect((await before.stored()).jobs).toHaveLength(3));
    await before.stop('kill');

    const rig = await openHandlerRig({ dir, handlers });
    await rig.ask('mail', ['e', 'disk']);
    for (let at = 0; at < 4; at++) (await rig.run(at)).end(DELIVERED_OUTCOME);
    await vi.waitFor(async () => expect((await rig.stored()).jobs).toEqual([]));
    await waitUntilIdle();
    expect(startedRuns(rig)).toEqual(['b/disk', 'c/disk', 'd/disk', 'e/disk']);
  });

  test('the attempts of a job are counted from 1 again after a restart', async () => {
    const dir = await tempDir();
    const handlers = { mail: aHandler({ retry }) };
    const before = await openHandlerRig({ dir, handlers });
    await before.ask('mail', ['a', 'disk']);
    (await before.run(0)).end(retryableFailure('refused'));
    await vi.waitFor(() => expect(before.lanes.statistics().get('mail')?.retrying).toBe(1));
    await before.stop();
    const rig = await openHandlerRig({ dir, handlers });
    expect((await rig.run(0)).attempt).toBe(1);
  });

  test('new job ids are higher than all stored ids, even if the clock was set back', async () => {
    const dir = await tempDir();
    const handlers = { mail: aHandler() };
    const before = await openHandlerRig({ dir, handlers });
    before.clock.advance(3_600_000);
    await before.ask('mail', ['a', 'disk']);
    const { job } = await before.run(0);
    await before.stop('kill');
    const rig = await openHandlerRig({ dir, handlers });
    // No job starts before all stored jobs are known, because the ids of new jobs must come after theirs.
    expect(rig.startedRuns).toEqual([]);
    await rig.ask('mail', ['b', 'disk']);
    expect((await rig.run(1)).job.id).toBeGreaterThan(job.id);
  });

  test('a stopping backend waits for running handler jobs and starts no others', async () => {
    const dir = await tempDir();
    const handlers = { mail: aHandler({ concurrency: 1 }) };
    const before = await openHandlerRig({ dir, handlers });
    await before.ask('mail', ['a', 'disk'], ['b', 'disk']);
    const first = await before.run(0);
    const stopped = before.stop();
    await waitUntilIdle();
    first.end(DELIVERED_OUTCOME);
    await stopped;
    expect(before.startedRuns).toHaveLength(1);
    expect(first.signal.aborted).toBe(false);
    const rig = await openHandlerRig({ dir, handlers });
    expect((await rig.run(0)).job.client).toBe('b');
  });

  test('after ten seconds a stopping backend aborts handler jobs, and runs them again after the start', async () => {
    const dir = await tempDir();
    const handlers = { mail: aHandler() };
    const before = await openHandlerRig({ dir, handlers });
    await before.ask('mail', ['a', 'disk']);
    const { signal, end } = await before.run(0);
    const stopped = before.stop();
    before.clock.advance(9999);
    expect(signal.aborted).toBe(false);
    signal.addEventListener('abort', () => end(retryableFailure('ended')));
    before.clock.advance(1);
    await stopped;
    expect(signal.aborted).toBe(true);
    const rig = await openHandlerRig({ dir, handlers });
    expect((await rig.run(0)).job.client).toBe('a');
    expect(rig.deadLetters.size).toBe(0);
  });
});
