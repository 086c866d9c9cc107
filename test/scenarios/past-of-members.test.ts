/** @module-tag slow */
import { expect, onTestFinished, test } from 'vitest';
import type { PastState } from '../../shared/schemas/timeline.ts';
import { administratorOf } from '../support/administrator.ts';
import { SkippingClock } from '../support/skipping-clock.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { postgresOfFile, startSharing } from '../support/shared-database.ts';

const server = postgresOfFile();

/** A clock whose periodic tasks run at least every 100 ms, instead of every few seconds. */
class HastyClock extends SkippingClock {
  override every(periodMs: number, task: () => void): Disposable {
    return super.every(Math.min(periodMs, 100), task);
  }
}

async function report({ url }: RunningBackend, name: string, status: number): Promise<void> {
  const headers = { 'content-type': 'application/json', ...administratorOf(url) };
  const body = JSON.stringify({ source: 'web', name, output: 'x', status });
  expect((await fetch(`${url}/results`, { method: 'POST', headers, body })).status).toBe(202);
}

async function stateAt({ url }: RunningBackend, at?: number): Promise<PastState> {
  const moment = at === undefined ? '' : `at=${String(at)}`;
  return (await (await fetch(`${url}/api/mon/v1/timeline/state?${moment}`)).json()) as PastState;
}

test('the leader stores checkpoints of the timeline in the database, and every member serves past states from them', async () => {
  const database = await server().database();
  // The timeline is disabled at first, so that this state is only in the checkpoint.
  const first = await startSharing(database, { timeline: { days: 0 } });
  await report(first, 'disk', 2);
  await first[Symbol.asyncDispose]();

  const writer = await startBackend({ database, clock: new HastyClock() });
  onTestFinished(() => writer[Symbol.asyncDispose]());
  const member = await startSharing(database);
  await expect.poll(async () => (await stateAt(writer)).retained_since).toBeGreaterThan(0);
  await report(writer, 'load', 1);
  const { next: then } = await stateAt(writer, (await stateAt(writer)).retained_since);
  await report(writer, 'disk', 0);

  const past = await stateAt(writer, then ?? 0);
  expect(past.events.map(({ check, status }) => [check, status])).toEqual([
    ['disk', 2],
    ['load', 1],
  ]);
  const { next: _next, ...lists } = past;
  await expect.poll(() => stateAt(member, then ?? 0)).toMatchObject(lists);
});
