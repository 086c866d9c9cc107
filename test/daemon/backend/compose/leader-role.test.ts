import { expect, test } from 'vitest';
import { LeaderRole } from '../../../../daemon/backend/compose/leader-role.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

function openRole(): LeaderRole {
  return new LeaderRole({ clock: new ManualClock(), log: new RecordedLog() });
}

test('the parts of the leader start when it becomes the leader and stop in reverse order when it stands down', async () => {
  const leader = openRole();
  const calls: string[] = [];
  const part = (name: string): { name: string; start: () => Disposable } => ({
    name,
    start: () => {
      calls.push(`start ${name}`);
      return { [Symbol.dispose]: () => void calls.push(`stop ${name}`) };
    },
  });
  leader.defineParts([part('handlers'), part('keepalives')]);
  expect(calls).toEqual([]);
  await leader.start();
  await leader[Symbol.asyncDispose]();
  // A second time when the backend stops: nothing is left to stop.
  await leader[Symbol.asyncDispose]();
  expect(calls).toEqual(['start handlers', 'start keepalives', 'stop keepalives', 'stop handlers']);
});

test('the leader role does not start before its parts are defined', async () => {
  await expect(openRole().start()).rejects.toThrow('the leader has no parts yet');
});

test('a change of the role is reported to its listener, if there is one', () => {
  const leader = openRole();
  let changes = 0;
  leader.announceChange();
  leader.onChange(() => changes++);
  leader.announceChange();
  expect(changes).toBe(1);
});
