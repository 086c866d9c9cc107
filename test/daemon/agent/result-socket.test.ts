import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { agentAddresses } from '../../../daemon/agent/agent-address.ts';
import { ResultSocket } from '../../../daemon/agent/result-socket.ts';
import { openSpool, type Spool } from '../../../daemon/agent/spool.ts';
import { AGENT_REPLACED_CLOSE_CODE, AGENT_WINDOW, type CheckRequest } from '../../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import { AgentBackend } from '../../support/agent-backend.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const aResult = (output: string): SubmittedResult => ({ name: 'disk', output, status: 0 });

/** Returns an OK result, which can become a baseline. */
const aPassing = (executed: number, more: Readonly<Record<string, unknown>> = {}): SubmittedResult => ({
  name: 'disk',
  command: 'check-disk',
  status: 0,
  output: 'DISK OK',
  issued: 1,
  executed,
  duration: 0.5,
  ...more,
});

/** Returns a delta result that differs from its baseline only in its times. */
const deltaOf = (baseline: number, id: number, executed: number): object => ({
  id,
  baseline,
  issued: 1,
  executed,
  duration: 0.5,
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

interface Bench {
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  readonly spool: Spool;
  readonly socket: ResultSocket;
  readonly requests: CheckRequest[];
  /** Adds results to the spool and notifies the result socket of them. */
  readonly report: (...results: (string | SubmittedResult)[]) => Promise<void>;
}

async function aBench(
  backend: string,
  options: { spool?: Spool; signature?: string; namespace?: string; random?: number } = {},
): Promise<Bench> {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const spool = options.spool ?? (await openSpool(await tempDir()));
  const requests: CheckRequest[] = [];
  const client = { name: 'web1', address: '10.0.0.1', subscriptions: ['client:web1'], timestamp: 1, version: '0' };
  const socket = new ResultSocket({
    backends: agentAddresses(backend, 'web1', {}),
    namespace: options.namespace ?? 'default',
    spool,
    clock,
    log,
    random: () => options.random ?? 0,
    client: () => client,
    signature: options.signature,
    onWelcome: () => socket.sendKeepalive(),
    onCheckRequest: (check) => requests.push(check),
  });
  socket.connect();
  onTestFinished(async () => {
    const closed = socket.close(0);
    clock.advance(0);
    await closed;
    clock.advance(10_000);
    await spool[Symbol.asyncDispose]();
  });
  const report = async (...results: (string | SubmittedResult)[]): Promise<void> => {
    for (const result of results) {
      await spool.append(typeof result === 'string' ? aResult(result) : result);
      socket.wake();
    }
  };
  return { clock, log, spool, socket, requests, report };
}

/** Advances the clock until the agent has retried and the expectation holds. */
async function eventually(clock: ManualClock, expectation: () => void): Promise<void> {
  await vi.waitFor(() => {
    clock.advance(50);
    expectation();
  });
}

async function connected(backend: AgentBackend, clock: ManualClock): Promise<void> {
  await eventually(clock, () => expect(backend.connections).toBe(1));
}

/** Returns a bench whose backend has confirmed one result as a baseline. */
async function openBenchWithBaseline(backend: AgentBackend): Promise<Bench> {
  const bench = await aBench(backend.url);
  await reportInTurn(bench, aPassing(1));
  return bench;
}

/** Reports results in sequence, each after the acknowledgment of the previous one. */
async function reportInTurn({ clock, spool, report }: Bench, ...results: SubmittedResult[]): Promise<void> {
  for (const result of results) {
    await report(result);
    await eventually(clock, () => expect(spool.size).toBe(0));
  }
}

/** Waits until the agent has handled all earlier messages of the backend. */
async function untilMessagesHandled({ requests }: Bench, backend: AgentBackend): Promise<void> {
  const { length } = requests;
  backend.request({ name: 'any', issued: 1 });
  await vi.waitFor(() => expect(requests).toHaveLength(length + 1));
}

/** Returns all results that the backend received, as the agent encoded them. */
function receivedItems({ frames }: AgentBackend): unknown[] {
  return frames.flatMap(({ results }) => results);
}

describe('the connection to a backend', () => {
  test('an agent sends hello with its client and spool, and a keepalive after the welcome', async () => {
    const backend = await AgentBackend.open();
    const { spool, clock } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    expect(backend.hellos).toMatchObject([{ spool: spool.name, client: { name: 'web1' } }]);
    expect(backend.keepalives).toMatchObject([{ name: 'web1', address: '10.0.0.1', subscriptions: ['client:web1'] }]);
  });

  test('an agent sends the credentials in the URL of the backend', async () => {
    const backend = await AgentBackend.open();
    const { clock } = await aBench(backend.url.replace('http://', 'http://web1:s%20cret@'));
    await eventually(clock, () => expect(backend.connections).toBe(1));
    expect(backend.authorizations).toEqual([`Basic ${Buffer.from('web1:s cret').toString('base64')}`]);
  });

  test.each<{ status: number; expectedMessage: RegExp }>([
    {
      status: 401,
      expectedMessage:
        /rejects the credentials of the agent \(HTTP 401\): set MON_API_KEY, or MON_AGENT_CREDENTIALS to user:password$/,
    },
    { status: 402, expectedMessage: /has reached its entity limit \(HTTP 402\): raise its entity-limit$/ },
    {
      status: 403,
      expectedMessage:
        /does not allow these credentials to submit results \(HTTP 403\): use a key with the scope submit$/,
    },
    {
      status: 404,
      expectedMessage: /no backend for agents at ws:.*, or the namespace does not exist \(HTTP 404\): check both$/,
    },
    { status: 503, expectedMessage: /is busy \(HTTP 503\)$/ },
    { status: 500, expectedMessage: /rejects the connection \(HTTP 500\)$/ },
  ])(
    'an agent whose handshake is rejected with HTTP $status logs the reason and reconnects',
    async ({ status, expectedMessage }) => {
      let answers: number[] = [status];
      const backend = await AgentBackend.open({ refuseWith: () => answers.shift(), refusal: 'not you' });
      const { clock, log } = await aBench(backend.url);
      await vi.waitFor(() => expect(log.messages('error')).toEqual(['reconnection attempt failed']));
      expect(log.records[0]?.fields).toEqual({
        error: `handshake failed with status ${String(status)}`,
        body: 'not you',
        reason: expect.stringMatching(expectedMessage),
        retry_seconds: 0.5,
        spooled: 0,
      });
      answers = [];
      await eventually(clock, () => expect(backend.hellos).toHaveLength(1));
    },
  );

  test('an agent sends its client name and namespace in the handshake and in the hello', async () => {
    const backend = await AgentBackend.open();
    const { clock } = await aBench(backend.url, { namespace: 'shop' });
    await eventually(clock, () => expect(backend.hellos).toEqual([expect.objectContaining({ namespace: 'shop' })]));
    expect(backend.identities).toEqual([['web1', 'shop']]);
  });

  test('an agent logs the first 1,000 characters of a long rejection and delivers its results later', async () => {
    let answers: number[] = [402];
    const backend = await AgentBackend.open({ refuseWith: () => answers.shift(), refusal: 'no '.repeat(100_000) });
    const { clock, log, spool, report } = await aBench(backend.url);
    await report('a', 'b');
    await vi.waitFor(() => expect(log.messages('error')).toEqual(['reconnection attempt failed']));
    expect(String(log.records[0]?.fields['body'])).toHaveLength(1000);
    answers = [];
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(backend.ids).toEqual([1, 2]);
  });

  test('an agent tries to reconnect forever at growing intervals', async () => {
    const gone = await AgentBackend.open({ refuseWith: () => 503 });
    const { clock, log } = await aBench(gone.url);
    for (const tries of numbers(12)) {
      await vi.waitFor(() => expect(log.messages('error')).toHaveLength(tries));
      clock.advance(500);
    }
  });

  test('an agent that another agent of the same name replaced reconnects at growing intervals and logs a remedy', async () => {
    const backend = await AgentBackend.open();
    const { clock, log } = await aBench(backend.url, { random: 0.5 });
    const waits = (): unknown[] => log.records.flatMap(({ fields }) => fields['retry_seconds'] ?? []);
    const nextConnection = async (times: number): Promise<void> => {
      clock.advance(Number(waits().at(-1) ?? 0) * 1000);
      await vi.waitFor(() => expect(backend.keepalives).toHaveLength(times));
    };
    for (const times of numbers(8)) {
      await nextConnection(times);
      backend.close(AGENT_REPLACED_CLOSE_CODE, 'another agent with this name has connected');
      await vi.waitFor(() => expect(waits()).toHaveLength(times));
    }
    expect(waits()).toEqual([0.75, 1.25, 2.25, 4.25, 8.25, 15.25, 15.25, 15.25]);
    expect(log.records.find(({ level }) => level === 'warn')?.fields['reason']).toBe(
      'another agent with this name has connected: give one of the two another name (client.name), or stop it',
    );
    await nextConnection(9);
    backend.drop();
    await vi.waitFor(() => expect(waits()).toHaveLength(9));
    expect(waits().at(-1)).toBe(0.75);
  });

  test('an agent fails over to its next backend and sends unacknowledged results again there', async () => {
    let isFirstUp = true;
    const backends = await Promise.all([
      AgentBackend.open({ refuseWith: () => (isFirstUp ? undefined : 503), commits: () => false }),
      AgentBackend.open({ refuseWith: () => (isFirstUp ? 503 : undefined) }),
    ]);
    const [first, second] = backends;
    const { clock, log, spool, report } = await aBench(backends.map(({ url }) => url).join(', '));
    await connected(first, clock);
    await report('a', 'b');
    await eventually(clock, () => expect(first.frameSizes).not.toEqual([]));
    isFirstUp = false;
    first.drop();
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(second.ids).toEqual([1, 2]);
    // The agent waited only briefly while there was a backend that it had not tried yet.
    const waits = log.records.map(({ fields }) => fields['retry_seconds']).filter((wait) => wait !== undefined);
    expect(waits).toContain(0.1);
  });

  test('an agent reconnects after the backend sent an invalid welcome', async () => {
    const backend = await AgentBackend.open({ acked: () => Number.NaN });
    const { clock, log } = await aBench(backend.url);
    await eventually(clock, () => expect(log.messages('warn')).not.toEqual([]));
    expect(log.records[0]?.fields['reason']).toBe('the backend sent a frame that is not part of the agent protocol');
  });
});

describe('results on the connection to a backend', () => {
  test('results arrive in order and leave the spool once the backend acknowledged them', async () => {
    const backend = await AgentBackend.open();
    const { clock, spool, report } = await aBench(backend.url);
    await report('a', 'b', 'c');
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(backend.committed).toEqual(
      ['a', 'b', 'c'].map((output, index) => ({ id: index + 1, check: aResult(output) })),
    );
  });

  test('results of a backlog share frames, and unacknowledged results never exceed the window', async () => {
    let open = false;
    const backend = await AgentBackend.open({ commits: () => open });
    const { clock, spool, report } = await aBench('http://127.0.0.1:1');
    await report(...numbers(AGENT_WINDOW * 3).map(String));
    const later = await aBench(backend.url, { spool });
    await eventually(later.clock, () => expect(backend.frameSizes).toEqual([AGENT_WINDOW]));
    open = true;
    backend.drop();
    await eventually(later.clock, () => expect(spool.size).toBe(0));
    expect(backend.ids).toEqual(numbers(AGENT_WINDOW * 3));
    expect(backend.frameSizes.length).toBeLessThan(10);
    clock.advance(0);
  });

  test('an agent sends large results in smaller frames', async () => {
    const backend = await AgentBackend.open();
    const { spool } = await aBench('http://127.0.0.1:1');
    for (const letter of 'abcdef') await spool.append(aResult(letter.repeat(200_000)));
    const { clock } = await aBench(backend.url, { spool });
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(backend.frameSizes).toEqual([2, 2, 2]);
  });

  test('after a reconnect an agent sends exactly the unacknowledged results again, with the same ids', async () => {
    let commits = 2;
    const backend = await AgentBackend.open({ window: 1, commits: () => commits-- > 0 });
    const { clock, spool, report } = await aBench(backend.url);
    await report('a', 'b', 'c', 'd');
    await eventually(clock, () => expect(backend.frameSizes).toHaveLength(3));
    expect(backend.ids).toEqual([1, 2]);
    commits = 99;
    backend.drop();
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(backend.ids).toEqual([1, 2, 3, 4]);
  });

  test('an agent sends its results with the signature of the client', async () => {
    const backend = await AgentBackend.open();
    const { clock, report } = await aBench(backend.url, { signature: 'yVNxtPbRGwCYFYEr3V' });
    await report('a');
    await eventually(clock, () => expect(backend.signatures).toEqual(['yVNxtPbRGwCYFYEr3V']));
  });

  test('an agent logs results that the backend rejects and does not send them again', async () => {
    const backend = await AgentBackend.open();
    const { clock, log, spool, report } = await aBench(backend.url);
    await report('a');
    await eventually(clock, () => expect(spool.size).toBe(0));
    backend.send({ type: 'rejected', id: 1, error: 'check.ttl: must be greater than 0' });
    await vi.waitFor(() => expect(log.messages('error')).toEqual(['the backend rejected a check result']));
    expect(log.records.at(-1)?.fields).toEqual({ id: 1, reason: 'check.ttl: must be greater than 0' });
  });

  test('the log of the agent names the check of each rejected result', async () => {
    const backend = await AgentBackend.open({ commits: () => false });
    const spool = await openSpool(await tempDir());
    await spool.append({ ...aResult('a'), source: 'router' });
    await spool.append({ ...aResult('b'), name: 'backup' });
    const { clock, log } = await aBench(backend.url, { spool });
    await eventually(clock, () => expect(backend.frameSizes).toEqual([2]));
    backend.send({ type: 'rejected', id: 1, error: 'too large' });
    backend.send({ type: 'rejected', id: 2, error: 'too large' });
    await vi.waitFor(() => expect(log.messages('error')).toHaveLength(2));
    const rejected = log.records.filter(({ level }) => level === 'error').map(({ fields }) => fields);
    expect(rejected).toHaveLength(2);
    expect(rejected).toContainEqual({ id: 1, check: 'disk', source: 'router', reason: 'too large' });
    expect(rejected).toContainEqual({ id: 2, check: 'backup', reason: 'too large' });
  });

  test('an agent sends its results under a new spool name if the backend has acknowledged ids beyond its spool', async () => {
    const spools = new Map<string, number>();
    const backend = await AgentBackend.open({
      // The backend claims to have committed a thousand results of the first spool that connects, and none of other
      // spools.
      acked: (spool) => {
        if (spools.size === 0) spools.set(spool, 1000);
        return spools.get(spool) ?? 0;
      },
    });
    const { spool } = await aBench('http://127.0.0.1:1');
    await spool.append(aResult('precious'));
    const before = spool.name;
    const { clock, log } = await aBench(backend.url, { spool });
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(spool.name).not.toBe(before);
    expect(backend.committed).toEqual([{ id: 1, check: aResult('precious') }]);
    expect(log.messages('warn')).toContain(
      'spool is out of date, because the backend already has newer results of this agent: starting a new spool',
    );
  });

  test('an agent logs once a minute how many results its spool dropped', async () => {
    const dir = await tempDir();
    const spool = await openSpool(dir, { limits: { results: 2, characters: 1000 } });
    const { clock, log, report } = await aBench('http://127.0.0.1:1', { spool });
    await report('a', 'b', 'c', 'd', 'e');
    expect(log.messages('error')).toEqual([]);
    clock.advance(180_000);
    expect(log.records.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'spool is full: the oldest results were dropped',
        fields: { dropped: 3, spooled: 2 },
      },
    ]);
  });
});

describe('delta results on the connection to a backend', () => {
  test('an agent announces in its hello that it sends delta results', async () => {
    const backend = await AgentBackend.open();
    await openBenchWithBaseline(backend);
    expect(backend.hellos).toMatchObject([{ delta: true }]);
  });

  test('a delta result contains only what differs from a confirmed baseline, and the full result can be restored', async () => {
    const backend = await AgentBackend.open();
    const bench = await openBenchWithBaseline(backend);
    await reportInTurn(bench, aPassing(2), aPassing(3, { output: 'DISK FINE' }), aPassing(4));
    expect(receivedItems(backend)).toEqual([
      { id: 1, check: aPassing(1) },
      deltaOf(1, 2, 2),
      { ...deltaOf(1, 3, 3), output: 'DISK FINE' },
      deltaOf(1, 4, 4),
    ]);
    expect(backend.committed.map(({ check }) => check)).toEqual([
      aPassing(1),
      aPassing(2),
      aPassing(3, { output: 'DISK FINE' }),
      aPassing(4),
    ]);
  });

  test('an agent sends no delta result before the backend has confirmed a baseline', async () => {
    let remembers = false;
    const backend = await AgentBackend.open({ remembers: () => remembers });
    const bench = await openBenchWithBaseline(backend);
    await reportInTurn(bench, aPassing(2));
    remembers = true;
    await reportInTurn(bench, aPassing(3), aPassing(4));
    expect(receivedItems(backend)).toEqual([
      { id: 1, check: aPassing(1) },
      { id: 2, check: aPassing(2) },
      { id: 3, check: aPassing(3) },
      deltaOf(3, 4, 4),
    ]);
  });

  test.each([
    { name: 'fails', other: { status: 2 } },
    { name: 'has another attribute', other: { team: 'storage' } },
  ])('a check that $name sends full results until the backend confirms the next baseline', async ({ other }) => {
    const backend = await AgentBackend.open();
    const bench = await openBenchWithBaseline(backend);
    await reportInTurn(bench, aPassing(2, other), aPassing(3), aPassing(4));
    expect(receivedItems(backend)).toEqual([
      { id: 1, check: aPassing(1) },
      { id: 2, check: aPassing(2, other) },
      { id: 3, check: aPassing(3) },
      deltaOf(3, 4, 4),
    ]);
  });

  test('an agent that gets a resend request sends all results after the requested id in full', async () => {
    const backend = await AgentBackend.open();
    const bench = await openBenchWithBaseline(backend);
    const { clock, report, spool } = bench;
    await reportInTurn(bench, aPassing(2));
    const resend = backend.discardBaselines();
    await report(aPassing(3), aPassing(4));
    await eventually(clock, () => expect(receivedItems(backend)).toHaveLength(4));
    await report(aPassing(5));
    resend();
    await eventually(clock, () => expect(spool.size).toBe(0));
    await reportInTurn(bench, aPassing(6));
    expect(receivedItems(backend).slice(-4)).toEqual([
      { id: 3, check: aPassing(3) },
      { id: 4, check: aPassing(4) },
      { id: 5, check: aPassing(5) },
      deltaOf(5, 6, 6),
    ]);
    expect(backend.committed.map(({ check }) => check)).toEqual(numbers(6).map((at) => aPassing(at)));
    expect(backend.frames.flatMap(({ resume_after }) => resume_after ?? [])).toEqual([2]);
    expect(bench.log.messages('warn')).toEqual([]);
  });

  test('an agent discards delta results that it read from the spool before a resend request arrived', async () => {
    const backend = await AgentBackend.open();
    const bench = await openBenchWithBaseline(backend);
    const { clock, report, spool } = bench;
    const resend = backend.discardBaselines();
    await report(aPassing(2));
    await eventually(clock, () => expect(receivedItems(backend)).toHaveLength(2));
    // A slow disk delays the next read of the spool.
    const { promise: slowness, resolve: goOn } = Promise.withResolvers<void>();
    const read = spool.read.bind(spool);
    vi.spyOn(spool, 'read').mockImplementationOnce(async (...range) => {
      const results = await read(...range);
      await slowness;
      return results;
    });
    await report(aPassing(3));
    resend();
    await untilMessagesHandled(bench, backend);
    goOn();
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(receivedItems(backend).slice(2)).toEqual([
      { id: 2, check: aPassing(2) },
      { id: 3, check: aPassing(3) },
    ]);
  });

  test('a resend request that arrives while no delta result is pending applies to the next result', async () => {
    const backend = await AgentBackend.open();
    const bench = await openBenchWithBaseline(backend);
    backend.discardBaselines()();
    await untilMessagesHandled(bench, backend);
    expect(backend.frames).toHaveLength(1);
    await reportInTurn(bench, aPassing(2), aPassing(3));
    expect(backend.frames.slice(1)).toEqual([
      { type: 'results', resume_after: 1, results: [{ id: 2, check: aPassing(2) }] },
      { type: 'results', results: [deltaOf(2, 3, 3)] },
    ]);
  });

  test('an agent reconnects if the backend does not acknowledge results after a resend request', async () => {
    const backend = await AgentBackend.open({ commits: () => false });
    const { clock, log, report } = await aBench(backend.url);
    await report(aPassing(1));
    await eventually(clock, () => expect(backend.frames).toHaveLength(1));
    backend.discardBaselines()();
    await vi.waitFor(() => expect(backend.frames).toHaveLength(2));
    for (let seconds = 0; seconds < 60; seconds += 10) {
      const { pings } = backend;
      clock.advance(10_000);
      await vi.waitFor(() => expect(backend.connections === 0 || backend.pings > pings).toBe(true));
    }
    await vi.waitFor(() =>
      expect(log.records.at(-1)?.fields['reason']).toBe('the backend has not acknowledged a result for 60 seconds'),
    );
  });

  test('the first result on a connection is a full result', async () => {
    const backend = await AgentBackend.open();
    const bench = await openBenchWithBaseline(backend);
    backend.drop();
    await eventually(bench.clock, () => expect(backend.keepalives).toHaveLength(2));
    await reportInTurn(bench, aPassing(2), aPassing(3));
    expect(receivedItems(backend).slice(1)).toEqual([{ id: 2, check: aPassing(2) }, deltaOf(2, 3, 3)]);
  });

  test('a resend request for a result that was never sent makes the agent reconnect', async () => {
    const backend = await AgentBackend.open();
    const { clock, log } = await openBenchWithBaseline(backend);
    backend.send({ type: 'resend', after: 2 });
    await eventually(clock, () => expect(backend.hellos).toHaveLength(2));
    expect(log.records.find(({ level }) => level === 'warn')?.fields['reason']).toBe(
      'the backend requested results after an id that was never sent',
    );
  });
});

test('every result arrives once and in order, whenever a connection is lost', async () => {
  const dir = await tempDir();
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.constantFrom('report', 'report', 'report', 'drop', 'refuse', 'ignore', 'pause', 'forget'), {
        maxLength: 25,
      }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, window) => {
        run += 1;
        let refusals = 0;
        let ignored = 0;
        const backend = await AgentBackend.open({
          window,
          refuseWith: () => (refusals-- > 0 ? 503 : undefined),
          commits: () => ignored-- <= 0,
        });
        const spool = await openSpool(join(dir, String(run)));
        const { clock, report } = await aBench(backend.url, { spool });
        let reported = 0;
        for (const step of steps) {
          if (step === 'report') await report(aPassing((reported += 1)));
          if (step === 'drop') backend.drop();
          if (step === 'refuse') refusals = 1;
          if (step === 'ignore') ignored = 1;
          if (step === 'forget') backend.discardBaselines()();
          if (step === 'pause') await connected(backend, clock);
        }
        // Reconnects the agent: results that the backend ignored are resent only on a new connection.
        ignored = 0;
        backend.drop();
        await eventually(clock, () => expect(spool.size).toBe(0));
        expect(backend.ids).toEqual(numbers(reported));
        expect(backend.committed.map(({ check }) => check)).toEqual(numbers(reported).map((at) => aPassing(at)));
      },
    ),
    { numRuns: propertyRuns(12) },
  );
});

describe('an unresponsive backend', () => {
  test('an agent closes the connection to a backend that does not respond for thirty seconds', async () => {
    const backend = await AgentBackend.open();
    const { clock, log, report, spool } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    backend.freeze();
    clock.advance(40_000);
    await vi.waitFor(() => expect(log.messages('warn')).toEqual(['not connected to the backend']));
    expect(log.records.at(-1)?.fields['reason']).toBe('no response from the backend for 30 seconds');
    await report('a');
    await eventually(clock, () => expect(spool.size).toBe(0));
  });

  test('an agent sends a frame again if the backend did not acknowledge it', async () => {
    let lost = 1;
    const backend = await AgentBackend.open({ commits: () => lost-- <= 0 });
    const { clock, log, spool, report } = await aBench(backend.url);
    await report('a', 'b');
    await vi.waitFor(() => expect(backend.frameSizes).not.toEqual([]));
    for (let seconds = 0; seconds < 60; seconds += 10) {
      const { pings } = backend;
      clock.advance(10_000);
      await vi.waitFor(() => expect(backend.connections === 0 || backend.pings > pings).toBe(true));
    }
    await eventually(clock, () => expect(spool.size).toBe(0));
    expect(backend.ids).toEqual([1, 2]);
    expect(log.records.find(({ level }) => level === 'warn')?.fields['reason']).toBe(
      'the backend has not acknowledged a result for 60 seconds',
    );
  });

  test('an agent keeps the connection to a backend that sends nothing but responses to pings', async () => {
    const backend = await AgentBackend.open();
    const { clock, log } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    for (const pings of numbers(10)) {
      clock.advance(10_000);
      await vi.waitFor(() => expect(backend.pings).toBeGreaterThanOrEqual(pings));
    }
    expect(log.messages('warn')).toEqual([]);
  });

  test.each<{ name: string; frame: string }>([
    { name: 'a frame that is not JSON', frame: '{' },
    { name: 'JSON that is not an object', frame: '[]' },
    { name: 'a frame of an unknown type', frame: '{"type":"surprise"}' },
    { name: 'a check request without a name', frame: '{"type":"check_request","check":{"issued":1,"command":"true"}}' },
    {
      name: 'a check request whose command is neither a text nor a list',
      frame: '{"type":"check_request","check":{"name":"a","issued":1,"command":7}}',
    },
    { name: 'an acknowledgment that is not a number', frame: '{"type":"ack","id":"1"}' },
  ])('an agent reconnects after the backend sent $name', async ({ frame }) => {
    const backend = await AgentBackend.open();
    const { clock, log, requests } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    backend.sendText(frame);
    await eventually(clock, () => expect(backend.hellos).toHaveLength(2));
    expect(log.messages('warn')).toEqual(['not connected to the backend']);
    expect(requests).toEqual([]);
  });

  test('an acknowledgment of results that were never sent deletes no result from the spool', async () => {
    const backend = await AgentBackend.open({ commits: () => false, window: 1 });
    const { clock, spool, report } = await aBench(backend.url);
    await report('a', 'b', 'c');
    await eventually(clock, () => expect(backend.frameSizes).toEqual([1]));
    backend.send({ type: 'ack', id: 3 });
    await vi.waitFor(() => expect(spool.size).toBe(2));
    expect((await spool.read(0, { results: 9, characters: 999 })).map(({ id }) => id)).toEqual([2, 3]);
  });

  test('an agent runs a check when the backend requests it', async () => {
    const backend = await AgentBackend.open();
    const { clock, requests } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    const check = { name: 'disk', issued: 1, command: 'df', playbook: 'x' };
    backend.request(check);
    await vi.waitFor(() => expect(requests).toEqual([check]));
  });
});

describe('closing the connection', () => {
  test('an agent that stops waits until its results are acknowledged', async () => {
    const backend = await AgentBackend.open({ window: 1 });
    const { clock, socket, spool, report } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    await report('a', 'b', 'c');
    await socket.close(2000);
    expect(spool.size).toBe(0);
    await vi.waitFor(() => expect(backend.connections).toBe(0));
  });

  test('an agent that stops waits for acknowledgments up to a time limit and keeps the other results', async () => {
    const backend = await AgentBackend.open({ commits: () => false });
    const { clock, socket, spool, report } = await aBench(backend.url);
    await eventually(clock, () => expect(backend.keepalives).toHaveLength(1));
    await report('a');
    const closed = socket.close(2000);
    clock.advance(2000);
    await closed;
    expect(spool.size).toBe(1);
  });

  test('an agent that stops does not wait for a backend that is unavailable', async () => {
    const { socket, spool, report } = await aBench('http://127.0.0.1:1');
    await report('a');
    await socket.close(2000);
    expect(spool.size).toBe(1);
  });
});
