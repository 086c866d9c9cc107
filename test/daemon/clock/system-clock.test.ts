import { expect, test, vi } from 'vitest';
import { SystemClock } from '../../../daemon/clock/system-clock.ts';

test('the system clock returns the current time', () => {
  const before = Date.now();
  const now = new SystemClock().now();
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
});

test('the uptime of the system clock increases while the boot id stays the same', async () => {
  const [before, clock] = [new SystemClock().boot(), new SystemClock()];
  await new Promise((resolve) => void clock.after(50, () => resolve(undefined)));
  const { id, ms } = clock.boot();
  expect(id).toBe(before.id);
  expect(ms - before.ms).toBeGreaterThanOrEqual(30);
  expect(ms - before.ms).toBeLessThan(60_000);
});

test('the monotonic clock never goes back', () => {
  const clock = new SystemClock();
  const start = clock.monotonic();
  expect(clock.monotonic()).toBeGreaterThanOrEqual(start);
});

test('timers run once or repeatedly until they are disposed', async () => {
  const clock = new SystemClock();
  const ran: string[] = [];
  const stopped = clock.after(1, () => ran.push('stopped'));
  stopped[Symbol.dispose]();
  clock.after(1, () => ran.push('once'));
  const repeated = clock.every(1, () => ran.push('again'));
  await vi.waitFor(() => expect(ran.filter((name) => name === 'again').length).toBeGreaterThan(2));
  repeated[Symbol.dispose]();
  const count = ran.length;
  await new Promise((resolve) => void clock.after(10, () => resolve(undefined)));
  expect(ran).toHaveLength(count);
  expect(ran.filter((name) => name !== 'again')).toEqual(['once']);
});

test('a timer beyond the longest timer of Node does not fire at once', async () => {
  const clock = new SystemClock();
  const ran: string[] = [];
  const century = clock.after(100 * 365 * 24 * 3600 * 1000, () => ran.push('a century'));
  await new Promise((resolve) => void clock.after(10, () => resolve(undefined)));
  century[Symbol.dispose]();
  expect(ran).toEqual([]);
});
