import { expect, test } from 'vitest';
import { LeaderRole } from '../../../../daemon/backend/compose/leader-role.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

function openRole(): LeaderRole {
  return new LeaderRole({ clock: new ManualClock(), log: new RecordedLog() });
}

test('parts of the leader start when a backend becomes leader, and stop in reverse order when it steps down', async () => {
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
  // The second disposal, as when the backend stops, has nothing left to stop.
  await leader[Symbol.asyncDispose]();
  expect(calls).toEqual(['start handlers', 'start keepalives', 'stop keepalives', 'stop handlers']);
});

test('starting the leader role before its parts are defined fails', async () => {
  await expect(openRole().start()).rejects.toThrow('the leader has no parts yet');
});

test('a change of the leader role is announced to its listener', () => {
  const leader = openRole();
  let changes = 0;
  leader.announceChange();
  leader.onChange(() => changes++);
  leader.announceChange();
  expect(changes).toBe(1);
});
