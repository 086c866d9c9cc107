import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { watchStalls } from '../../../../daemon/backend/health/watch-stalls.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

/** Holds up everything. */
function stall(ms: number): void {
  const untilMs = performance.now() + ms;
  while (performance.now() < untilMs);
}

test('a task that holds up all others is said in the log, once', async () => {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const watch = watchStalls({ clock, log });
  onTestFinished(() => watch[Symbol.dispose]());
  // The measurement begins with its first tick.
  await pause(50);
  stall(300);
  await pause(50);
  clock.advance(1000);
  const [record, ...others] = log.records;
  expect(others).toEqual([]);
  expect(record).toMatchObject({ level: 'warn', message: 'one task held up all others' });
  expect(record?.fields['stalled_ms']).toBeGreaterThanOrEqual(250);
});

test('it ends with what it belongs to', () => {
  const clock = new ManualClock();
  watchStalls({ clock, log: new RecordedLog() })[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});
