/** @module-tag slow */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Event } from '../../shared/schemas/event.ts';
import { BACKEND_CLIENT } from '../../shared/schemas/backend-client.ts';
import { administratorOf } from '../support/administrator.ts';
import { HttpReceiver } from '../support/http-receiver.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { postgresOfFile } from '../support/shared-database.ts';
import { SkippingClock } from '../support/skipping-clock.ts';
import { SmallDisk } from '../support/small-disk.ts';
import { V2Peer } from '../support/v2-peer.ts';

/** Tests of the conditions that members of a cluster report about themselves, while the leader changes. */

const server = postgresOfFile();

const CONDITIONS = ['mon.checks', 'mon.entities', 'mon.handlers', 'mon.on-call', 'mon.silences'];
const OK = 0;
const PROBLEM = 2;

/** A clock whose periodic tasks run at least every half second, so that a test does not wait for ten seconds. */
class BriskClock extends SkippingClock {
  override every(periodMs: number, task: () => void): Disposable {
    return super.every(Math.min(periodMs, 500), task);
  }
}

async function change({ url }: RunningBackend, path: string, body: unknown): Promise<number> {
  const headers = { 'content-type': 'application/json', ...administratorOf(url) };
  return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

/** Returns the ids of the open events about the backend, by the name of their condition. */
async function openConditions({ url }: RunningBackend): Promise<Readonly<Record<string, string>>> {
  const events = (await (await fetch(`${url}/events/${BACKEND_CLIENT}`)).json()) as readonly Event[];
  return Object.fromEntries(events.map(({ id, check }) => [check.name, id]));
}

test(
  'each backend condition opens and resolves once despite a failover and a restart of all members',
  { timeout: 120_000 },
  async () => {
    const pager = await HttpReceiver.open();
    const broken = await HttpReceiver.open();
    broken.status = 400;
    const reported = { command: 'true', subscribers: [], publish: false, handlers: ['page'] };
    const settings = {
      'entity-limit': 2,
      'silence-idle-after': 600,
      handlers: { page: { type: 'webhook', url: pager.url }, broken: { type: 'webhook', url: broken.url } },
      people: { ada: { notify: ['page'] } },
      // Nobody is on call on most days.
      schedules: { rota: { layers: [{ people: ['ada'], hours: 'mon 04:00-04:01' }] } },
      checks: {
        lonely: { command: 'true', subscribers: ['db'], interval: 60 },
        ...Object.fromEntries(CONDITIONS.map((name) => [name, reported])),
      },
    };
    const database = await server().database();
    const clock = new BriskClock();
    const start = async (over: object = {}): Promise<RunningBackend> => {
      const disk = new SmallDisk(1e12);
      const member = await startBackend({ database, clock, disk, settings: { ...settings, ...over } });
      onTestFinished(() => member[Symbol.asyncDispose]());
      return member;
    };
    const delivered = (action: string): readonly string[] =>
      pager.received
        .map(({ body }) => JSON.parse(body) as Event)
        .filter((event) => event.action === action && (action !== 'create' || event.occurrences === 1))
        .map(({ check }) => check.name)
        .toSorted();
    const failing = { name: 'disk', output: 'full', status: PROBLEM, handlers: ['broken'] };

    const leader = await start();
    const follower = await start();
    const v2 = new V2Peer(leader.url);
    for (const name of ['web-1', 'web-2']) {
      const entity = { entity_class: 'proxy', metadata: { name, namespace: 'default' } };
      expect((await v2.put(`/namespaces/default/entities/${name}`, entity)).status).toBe(200);
      expect(await change(leader, '/results', { ...failing, source: name })).toBe(202);
    }
    expect(await change(leader, '/silenced', { subscription: 'web', check: 'nonesuch' })).toBe(201);
    await vi.waitFor(() => expect(broken.received.length).toBeGreaterThan(1));
    // A condition that must last for ten minutes is timed from the first evaluation that finds it, so wait for an
    // evaluation before the clock skips.
    await vi.waitFor(async () => expect(await openConditions(leader)).toHaveProperty(['mon.entities']));
    await vi.waitFor(async () => expect(await conditionsAfterSkip(leader)).toEqual(CONDITIONS), {
      timeout: 60_000,
      interval: 2000,
    });
    const opened = await openConditions(leader);
    await vi.waitFor(() => expect(delivered('create')).toEqual(CONDITIONS));

    const deliveredBefore = pager.received.length;
    await leader[Symbol.asyncDispose]();
    await staysOpen(follower, deliveredBefore);
    await follower[Symbol.asyncDispose]();
    const restarted = await start({ 'entity-limit': 100 });
    await vi.waitFor(async () => expect(await openConditions(restarted)).not.toHaveProperty(['mon.entities']), 10_000);
    const { 'mon.entities': _entities, ...rest } = opened;
    expect(await openConditions(restarted)).toEqual(rest);

    broken.status = 204;
    await change(restarted, '/results', { ...failing, source: 'web-1', status: OK });
    expect(await change(restarted, '/silenced/clear', { id: 'web:nonesuch' })).toBe(204);
    expect(await change(restarted, '/clients', { name: 'db-1', address: '192.0.2.1', subscriptions: ['db'] })).toBe(
      201,
    );
    const until = Math.floor(clock.now() / 1000) + 10 * 86_400;
    expect(await change(restarted, '/api/mon/v1/schedules/rota/overrides', { person: 'ada', until })).toBe(201);
    await vi.waitFor(async () => expect(await openConditions(restarted)).toEqual({}));
    await vi.waitFor(() => expect(delivered('resolve')).toEqual(CONDITIONS));
    expect(delivered('create')).toEqual(CONDITIONS);

    /**
     * Returns the names of the open conditions, and skips more than ten minutes if one of them is not open yet. The
     * idle time of a silence is counted from the first evaluation after its creation.
     */
    async function conditionsAfterSkip(member: RunningBackend): Promise<readonly string[]> {
      const names = Object.keys(await openConditions(member)).toSorted();
      if (names.length < CONDITIONS.length) clock.skip(700_000);
      return names;
    }

    /**
     * Checks that all events stay open for several evaluations after a member has become the leader.
     *
     * @param before number of notifications that were delivered before it became the leader
     */
    async function staysOpen(member: RunningBackend, before: number): Promise<void> {
      await vi.waitFor(() => expect(pager.received.length).toBeGreaterThanOrEqual(before + CONDITIONS.length));
      for (let looks = 0; looks < 5; looks++) {
        expect(await openConditions(member)).toEqual(opened);
        await new Promise((resolve) => void clock.after(500, () => resolve(undefined)));
      }
    }
  },
);
