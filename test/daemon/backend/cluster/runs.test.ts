import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { LiveMember } from '../../../../daemon/backend/cluster/runs/live-member.ts';
import { LiveMembers } from '../../../../daemon/backend/cluster/runs/live-members.ts';
import { SpreadRuns } from '../../../../daemon/backend/cluster/runs/spread-runs.ts';
import { DELIVERED_OUTCOME, type DeliveryOutcome } from '../../../../daemon/backend/notify/delivery/outcome.ts';
import type { MemberIndependentHandler } from '../../../../shared/schemas/peer-run.ts';
import { aJob } from '../../../support/a-job.ts';
import { signaturesOf } from '../../../support/forwarding-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

/** Tests of handler runs that a backend gives to another member. */

const PIPE: MemberIndependentHandler = { name: 'mail', type: 'pipe', command: 'cat', timeout: 5 };

/** Another member of the cluster, played by the test. */
class Other {
  readonly url: string;
  /** The handler runs that this member received, with their open responses. */
  readonly orders: { readonly body: string; readonly answer: ServerResponse }[] = [];
  /** Number of connections that were cut during a request. */
  lostConnections = 0;
  /** Number of requests that asked whether this member runs handlers. */
  capacityQueries = 0;
  isFrozen = false;

  private constructor(url: string) {
    this.url = url;
  }

  static async open(): Promise<Other> {
    const take: RequestListener = (request, answer) => void other.#handleRequest(request, answer);
    const listener = createServer(take).listen(0, '127.0.0.1');
    await once(listener, 'listening');
    onTestFinished(() => {
      listener.closeAllConnections();
      listener.close();
    });
    const other = new Other(`http://127.0.0.1:${String((listener.address() as AddressInfo).port)}`);
    return other;
  }

  async #handleRequest(request: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      this.capacityQueries++;
      if (!this.isFrozen) answer.end(JSON.stringify({ takes_runs: true }));
      return;
    }
    answer.once('close', () => {
      if (!answer.writableEnded) this.lostConnections++;
    });
    this.orders.push({ body: await text(request), answer });
  }
}

interface Rig {
  readonly other: Other;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  readonly member: LiveMember;
  readonly spread: SpreadRuns;
  /** The runs that the leader executes itself. */
  readonly localRuns: string[];
}

/** Returns a rig with a leader, which runs handlers only if no other member can, and one other member. */
async function rig(): Promise<Rig> {
  const other = await Other.open();
  const clock = new ManualClock();
  const log = new RecordedLog();
  const place = { id: 'two', name: 'mon-2:4567', url: other.url, fingerprint: undefined };
  const member = new LiveMember(place, { signatures: signaturesOf('one'), clock, log, random: () => 0 });
  onTestFinished(() => member[Symbol.dispose]());
  await member.queryIfDue();
  const members = { membersWithCapacity: () => [member].filter(({ hasCapacity }) => hasCapacity) };
  return { other, clock, log, member, ...spreadOver(members, { clock, log }) };
}

function spreadOver(
  members: Pick<LiveMembers, 'membersWithCapacity'>,
  parts: Pick<Rig, 'clock' | 'log'>,
): Pick<Rig, 'spread' | 'localRuns'> {
  const localRuns: string[] = [];
  const spread = new SpreadRuns({
    members,
    own: {
      deliver: async ({ handler }) => {
        localRuns.push(handler);
        return DELIVERED_OUTCOME;
      },
    },
    runsHandlers: () => false,
    definitions: { inNamespace: () => ({ mutator: () => undefined }) as never },
    ...parts,
  });
  return { spread, localRuns };
}

const deliver = ({ spread }: Pick<Rig, 'spread'>, handler = PIPE, job = aJob()): Promise<DeliveryOutcome> =>
  spread.deliver(job, handler, 1, new AbortController().signal);

describe('a handler run on another member', () => {
  test('a handler run on another member ends when the member responds', async () => {
    const parts = await rig();
    const running = deliver(parts);
    await expect.poll(() => parts.other.orders).toHaveLength(1);
    parts.other.orders[0]?.answer.end(JSON.stringify({ kind: 'delivered' }));
    expect(await running).toEqual({ kind: 'delivered', member: 'mon-2:4567' });
    expect(parts.localRuns).toEqual([]);
  });

  test.each([
    ['a category', { category: 'response' }, { category: 'response' }],
    ['no failure category', {}, {}],
    ['a category and an attribute of a newer version', { category: 'new', more: 1 }, {}],
  ])('a handler run that failed on another member with %s is not repeated', async (_title, more, kept) => {
    const parts = await rig();
    const running = deliver(parts);
    await expect.poll(() => parts.other.orders).toHaveLength(1);
    const failed = { kind: 'failed', reason: 'no', isRetryable: false };
    parts.other.orders[0]?.answer.end(JSON.stringify({ ...failed, ...more }));
    expect(await running).toEqual({ ...failed, ...kept, member: 'mon-2:4567' });
    expect(parts.localRuns).toEqual([]);
  });

  test('a handler run on another member is given up ten seconds after its timeout and repeated locally', async () => {
    const parts = await rig();
    const running = deliver(parts);
    await expect.poll(() => parts.other.orders).toHaveLength(1);
    parts.clock.advance(14_900);
    expect(parts.localRuns).toEqual([]);
    parts.clock.advance(200);
    expect(await running).toEqual(DELIVERED_OUTCOME);
    expect(parts.localRuns).toEqual(['mail']);
    await expect.poll(() => parts.other.lostConnections).toBe(1);
    expect(parts.member.hasCapacity).toBe(false);
  });

  test('a handler run without a timeout on another member may last as long as the member responds to probes', async () => {
    const parts = await rig();
    const running = deliver(parts, { name: 'mail', type: 'pipe', command: 'cat' });
    await expect.poll(() => parts.other.orders).toHaveLength(1);
    parts.clock.advance(3_600_000);
    parts.other.orders[0]?.answer.end(JSON.stringify({ kind: 'delivered' }));
    expect(await running).toEqual({ kind: 'delivered', member: 'mon-2:4567' });
  });

  test('a handler run whose event is too large for another member happens locally', async () => {
    const parts = await rig();
    const { event, ...rest } = aJob();
    const large = { ...rest, event: { ...event, check: { ...event.check, output: 'x'.repeat(9 * 1024 * 1024) } } };
    expect(await deliver(parts, PIPE, large)).toEqual(DELIVERED_OUTCOME);
    expect(parts.localRuns).toEqual(['mail']);
    expect(parts.other.orders).toEqual([]);
    expect(parts.member.hasCapacity).toBe(true);
  });

  test('a handler run continues on another member with a new certificate or address of that member', async () => {
    const other = await Other.open();
    const [clock, log] = [new ManualClock(), new RecordedLog()];
    let place = { id: 'two', name: 'mon-2:4567', url: other.url, fingerprint: undefined };
    const live = { signatures: signaturesOf('one'), clock, log, random: () => 0 };
    const members = new LiveMembers({ ...live, otherMembers: () => [place] });
    onTestFinished(() => members[Symbol.dispose]());
    clock.advance(500);
    await expect.poll(() => members.membersWithCapacity()).toHaveLength(1);
    const running = deliver(spreadOver(members, { clock, log }));
    await expect.poll(() => other.orders).toHaveLength(1);
    place = { ...place, url: other.url.replace('127.0.0.1', 'localhost') };
    clock.advance(10_000);
    other.orders[0]?.answer.end(JSON.stringify({ kind: 'delivered' }));
    expect(await running).toEqual({ kind: 'delivered', member: 'mon-2:4567' });
  });

  test('a handler run on a frozen member is given up after three unanswered probes and repeated locally', async () => {
    const parts = await rig();
    const running = deliver(parts, { name: 'mail', type: 'pipe', command: 'cat' });
    await expect.poll(() => parts.other.orders).toHaveLength(1);
    parts.other.isFrozen = true;
    for (let question = 1; question <= 3; question++) {
      expect(parts.member.isResponding).toBe(true);
      parts.clock.advance(10_000);
      const asking = parts.member.queryIfDue();
      await expect.poll(() => parts.other.capacityQueries).toBe(1 + question);
      parts.clock.advance(2000);
      await asking;
      expect(parts.member.hasCapacity).toBe(false);
    }
    expect(parts.member.isResponding).toBe(false);
    expect(await running).toEqual(DELIVERED_OUTCOME);
    expect(parts.localRuns).toEqual(['mail']);
  });
});
