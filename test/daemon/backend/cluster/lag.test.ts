import { expect, test } from 'vitest';
import { Lag } from '../../../../daemon/backend/cluster/lag.ts';

/** An observation of a member: its newest write in memory, the newest write of the cluster, and the time. */
type Observation = readonly [seq: number, newest: number, atMs: number];

test.each<{ name: string; observations: readonly Observation[]; seq: number; expected: number }>([
  { name: 'a member that has every write', observations: [[5, 5, 0]], seq: 5, expected: 0 },
  {
    name: 'a member that lacks a write since the first measurement',
    observations: [[5, 6, 100]],
    seq: 5,
    expected: 9900,
  },
  {
    name: 'a member that lacks a write while more is written',
    observations: [
      [5, 6, 100],
      [5, 900, 5000],
    ],
    seq: 5,
    expected: 9900,
  },
  { name: 'a member that caught up since the last measurement', observations: [[5, 6, 100]], seq: 6, expected: 0 },
  {
    name: 'a member that lacks only the newest write at each measurement',
    observations: [
      [0, 10, 0],
      [10, 20, 3000],
      [20, 30, 6000],
      [30, 40, 9000],
    ],
    seq: 39,
    expected: 1000,
  },
  {
    name: 'a member that stops after it had every write',
    observations: [
      [5, 5, 0],
      [5, 7, 4000],
    ],
    seq: 6,
    expected: 6000,
  },
  {
    name: 'a member that lacks writes which the database lost',
    observations: [
      [5, 9, 100],
      [5, 5, 4000],
    ],
    seq: 5,
    expected: 0,
  },
])('the lag of a member is measured correctly for $name', ({ observations, seq, expected }) => {
  const lag = new Lag();
  for (const look of observations) lag.recordMeasurement(...look);
  expect(lag.delayMs(seq, 10_000)).toBe(expected);
});
