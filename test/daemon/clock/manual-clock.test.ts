import { expect, test } from 'vitest';
import { ManualClock } from '../../support/manual-clock.ts';

test('the time of a manual clock changes only when the test advances it', () => {
  const clock = new ManualClock();
  expect([clock.now(), clock.monotonic()]).toEqual([ManualClock.START_MS, 0]);
  clock.advance(1500);
  expect([clock.now(), clock.monotonic()]).toEqual([ManualClock.START_MS + 1500, 1500]);
});

test('tasks of a manual clock run in the order of their times, each at its own time', () => {
  const clock = new ManualClock();
  const ran: string[] = [];
  const note = (name: string) => (): void => void ran.push(`${name} ${String(clock.monotonic())}`);
  clock.after(30, note('late'));
  clock.every(10, note('period'));
  clock.after(10, () => {
    note('first')();
    clock.after(5, note('started meanwhile'));
  });
  clock.after(31, note('not yet'));
  clock.advance(30);
  expect(ran).toEqual(['period 10', 'first 10', 'started meanwhile 15', 'period 20', 'late 30', 'period 30']);
  expect(clock.pending).toBe(2);
});

test('a disposed task of a manual clock does not run, even if a task of the same time disposed it', () => {
  const clock = new ManualClock();
  const ran: string[] = [];
  const period = clock.every(10, () => ran.push('period'));
  clock.after(10, () => later[Symbol.dispose]());
  const later = clock.after(10, () => ran.push('later'));
  clock.advance(10);
  period[Symbol.dispose]();
  clock.advance(100);
  expect(ran).toEqual(['period']);
  expect(clock.pending).toBe(0);
});
