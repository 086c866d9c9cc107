import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { watchStalls } from '../../../../daemon/backend/health/watch-stalls.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

/** Blocks the event loop for this time. */
function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

function watched(): { readonly clock: ManualClock; readonly log: RecordedLog } {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const watch = watchStalls({ clock, log });
  onTestFinished(() => watch[Symbol.dispose]());
  return { clock, log };
}

test('a task that blocks the event loop is logged once', async () => {
  const { clock, log } = watched();
  await pause(50);
  stall(300);
  await pause(50);
  clock.advance(1000);
  const [record, ...others] = log.records;
  expect(others).toEqual([]);
  expect(record).toMatchObject({ level: 'warn', message: 'event loop was blocked' });
  expect(record?.fields['stalled_ms']).toBeGreaterThanOrEqual(250);
});

test('stalls of the event loop right after the start and right after each report are logged', async () => {
  const { clock, log } = watched();
  for (const ms of [300, 400]) {
    stall(ms);
    await pause(50);
    clock.advance(1000);
  }
  expect(log.records.map(({ fields }) => Number(fields['stalled_ms']) >= 250)).toEqual([true, true]);
});

test('a stall of the event loop is logged once, even if the report timer fires before the delayed tick', async () => {
  const { clock, log } = watched();
  await pause(50);
  stall(300);
  clock.advance(1000);
  await pause(50);
  clock.advance(1000);
  expect(log.records).toHaveLength(1);
});

test('closing the stall watch leaves no timer behind', () => {
  const clock = new ManualClock();
  watchStalls({ clock, log: new RecordedLog() })[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});
