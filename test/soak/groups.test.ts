/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { freePort } from '../../scripts/lib/free-port.ts';
import { PATIENCE } from '../support/patience.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { GroupedReceiver } from './grouped-receiver.ts';
import { GroupedWriter } from './grouped-writer.ts';
import { MaintenanceRuns } from './maintenance-runs.ts';
import { expectTimelineMatchesEvents } from './past-of-now.ts';
import { isAskedFor, rounds, roundsTimeoutMs, seed, underLoad } from './rounds.ts';

const ROUNDS = 1;
const WRITERS = 6;
const RACKS = 2;
/** Maximum time in milliseconds that the writers run before the kill; groups are flushed every second. */
const LOAD_MS_MAX = 2500;
/**
 * Time before a kill that is enough to record a sent notification in the store. Notifications sent earlier must not be
 * repeated. Longer next to other tests.
 */
const IN_FLIGHT_MS_MAX = isAskedFor ? 1000 : PATIENCE.timeout;

/**
 * Clients under maintenance. They have no results, because an event that resolves while it is silenced is not notified.
 */
const MAINTAINED = ['quiet-0', 'quiet-1', 'quiet-2'];

/**
 * Expects that the receiver has been notified of every open event with its current status, and considers no other event
 * open.
 */
async function expectAllNotified(url: string, { lastStatuses: told }: GroupedReceiver): Promise<void> {
  await vi.waitFor(async () => {
    const events = (await (await fetch(`${url}/api/mon/v1/events`)).json()) as EventRow[];
    const open = events.map(({ client, check, status }) => [`${client}/${check}`, status] as const);
    expect(Object.fromEntries(told)).toEqual(Object.fromEntries(open));
  }, PATIENCE);
}

test(
  'a killed backend notifies groups once, records each change once and keeps maintenance silences',
  async () => {
    const random = new RandomChoices(seed());
    const dir = await tempDir();
    const config = join(dir, 'config.json');
    const receiver = new GroupedReceiver();
    onTestFinished(() => receiver[Symbol.asyncDispose]());
    const writers = Array.from(
      { length: WRITERS },
      (_, at) => new GroupedWriter(`web-${String(at)}`, `rack-${String(at % RACKS)}`, random),
    );
    const maintenance = new MaintenanceRuns(MAINTAINED, random);
    onTestFinished(() => maintenance[Symbol.asyncDispose]());
    const acknowledged = (): number => writers.reduce((sum, writer) => sum + writer.acknowledged, 0);
    const killedAtMs: number[] = [];
    // The port is fixed, so that the maintenance commands find the restarted backend.
    const port = await freePort();

    const start = async (): Promise<DaemonProcess> => {
      const url = await receiver.listen(killedAtMs.length);
      const grouping = { group_by: ['client.rack'], group_wait: 0.3, group_interval: 1, repeat_interval: 0 };
      await writeFile(config, JSON.stringify({ handlers: { default: { type: 'webhook', url, ...grouping } } }));
      return await startDaemon({ stateDir: join(dir, 'state'), port, args: ['--config', config] });
    };
    const compare = async (url: string): Promise<void> => {
      for (const writer of writers) await writer.compare(url);
      await expectTimelineMatchesEvents(url);
      await expectAllNotified(url, receiver);
      await maintenance.compare(url);
    };
    for (let round = 0; round < rounds(ROUNDS); round++) {
      await using daemon = await start();
      const { url } = daemon;
      if (round === 0) for (const writer of writers) await writer.register(url);
      await compare(url);
      await maintenance.begin(url);
      const running = Promise.all(writers.map((writer) => writer.run(url)));
      await underLoad(random.below(LOAD_MS_MAX), { writing: running, hasAcknowledged: () => acknowledged() > 0 });
      await maintenance.disturb(url);
      killedAtMs.push(performance.now());
      await daemon.end('SIGKILL');
      await running;
    }
    await using last = await start();
    await compare(last.url);
    await maintenance.finish();
    await expectAllNotified(last.url, receiver);

    expect(receiver.wrong).toEqual([]);
    for (const { earlier, later } of receiver.repetitions) {
      expect(later.life).toBeGreaterThan(earlier.life);
      // Only a notification that was in flight when its backend was killed may be repeated.
      expect((killedAtMs[earlier.life] ?? 0) - earlier.atMs).toBeLessThan(IN_FLIGHT_MS_MAX);
    }
    expect(acknowledged()).toBeGreaterThan(0);
    expect(receiver.runs).toBeGreaterThan(0);
    console.log(
      `${String(rounds(ROUNDS))} kills, ${String(acknowledged())} transitions, ${String(receiver.runs)} runs of groups, ` +
        `${String(receiver.repetitions.length)} of them again; ${String(maintenance.killed)} commands killed`,
    );
  },
  roundsTimeoutMs(ROUNDS, 20_000),
);
