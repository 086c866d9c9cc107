import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { Activity } from '../../../../daemon/backend/health/activity.ts';
import { CommitBoard } from '../../../../daemon/backend/model/transaction/commit-board.ts';
import { aCommit } from '../../../support/a-commit.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const MINUTE_MS = 60_000;

let clock: ManualClock;
let commits: CommitBoard;
let activity: Activity;

beforeEach(() => {
  clock = new ManualClock();
  commits = new CommitBoard();
  activity = new Activity({ commits, clock });
  onTestFinished(() => activity[Symbol.dispose]());
});

/** Publishes one commit in which the event of a check changed on `clients` clients. */
function change(check: string, clients: number): void {
  const changes = Array.from({ length: clients }, (_, at) => ['event', 'default', `web-${String(at)}`, check] as const);
  commits.announce({ ...aCommit(), changes: changes });
}

test('the noisiest checks are those with the most changes of their events', () => {
  change('disk', 2);
  change('swap', 3);
  change('disk', 2);
  commits.announce({ ...aCommit(), changes: [['client', 'default', 'web-1']] });
  expect(activity.noisiest(10)).toEqual([
    { check: 'disk', events: 4 },
    { check: 'swap', events: 3 },
  ]);
  expect(activity.noisiest(1)).toEqual([{ check: 'disk', events: 4 }]);
});

test('the noisiest checks do not include changes in other namespaces', () => {
  commits.announce({ ...aCommit(), changes: [['event', 'shop', 'web-1', 'secret']] });
  expect(activity.noisiest(10)).toEqual([]);
});

test('the noisiest checks do not include changes older than an hour', () => {
  change('disk', 5);
  clock.advance(30 * MINUTE_MS);
  change('swap', 1);
  expect(activity.noisiest(10)).toHaveLength(2);
  clock.advance(30 * MINUTE_MS);
  expect(activity.noisiest(10)).toEqual([{ check: 'swap', events: 1 }]);
  // Old changes expire even if no event has changed since then.
  clock.advance(31 * MINUTE_MS);
  expect(activity.noisiest(10)).toEqual([]);
});

test('the changes of at most ten thousand checks are counted per ten minutes', () => {
  const changes = Array.from(
    { length: 10_001 },
    (_, at) => ['event', 'default', 'web', `check-${String(at)}`] as const,
  );
  commits.announce({ ...aCommit(), changes: changes });
  change('one more', 5);
  change('check-7', 1);
  expect(activity.noisiest(20_000)).toHaveLength(10_000);
  expect(activity.noisiest(1)).toEqual([{ check: 'check-7', events: 2 }]);
});

test('the rate of results is recorded for each ten seconds of the last fifteen minutes', () => {
  expect(activity.rates).toEqual([]);
  commits.announce({ ...aCommit(), results: 50 });
  clock.advance(10_000);
  commits.announce({ ...aCommit(), results: 1 });
  clock.advance(10_000);
  clock.advance(10_000);
  expect(activity.rates).toEqual([5, 0.1, 0]);
  clock.advance(15 * MINUTE_MS);
  expect(activity.rates).toHaveLength(90);
});

test('closing the activity record leaves no timer behind', () => {
  activity[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});
