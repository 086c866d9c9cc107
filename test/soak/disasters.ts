import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../scripts/lib/postgres-server.ts';
import type { RandomChoices } from './random-choices.ts';
import { takeOverMs, type Members } from './members.ts';

/**
 * Causes a failure of a member or of the database that all members share.
 *
 * @returns the duration of the failover in milliseconds; `undefined` if there was none, or if it is not counted
 */
export type Disaster = (members: Members, server: PostgresServer, random: RandomChoices) => Promise<number | undefined>;

const killWriter: Disaster = async (members) => {
  const at = await members.writer();
  await members.member(at).end('SIGKILL');
  const took = await takeOverMs(members, at);
  await members.startAgain(at);
  return took;
};

const killOther: Disaster = async (members, _server, random) => {
  const count = members.urls.length;
  const at = ((await members.writer()) + 1 + random.below(count - 1)) % count;
  await members.member(at).end('SIGKILL');
  await members.startAgain(at);
  return undefined;
};

/**
 * Stops the leader in order, which causes a handover. Its duration is not returned, because handovers are faster than
 * failovers.
 */
const stopWriter: Disaster = async (members) => {
  const at = await members.writer();
  await members.member(at).end('SIGTERM');
  await takeOverMs(members, at);
  await members.startAgain(at);
  return undefined;
};

/** Pauses the leader for longer than its lease, and resumes it after another member became leader. */
const freezeWriter: Disaster = async (members, _server, random) => {
  const at = await members.writer();
  const frozen = members.member(at);
  process.kill(frozen.pid, 'SIGSTOP');
  const took = await takeOverMs(members, at);
  await delay(random.below(1000));
  process.kill(frozen.pid, 'SIGCONT');
  return took;
};

/**
 * Stops or kills the database, and starts it again. If it is down for longer than the lease, any member may become
 * leader.
 */
const restartDatabase: Disaster = async (_members, server, random) => {
  await (random.below(2) === 0 ? server.kill() : server.stop());
  await delay(random.below(1000));
  await server.start();
  return undefined;
};

/**
 * The disasters in the order in which the rounds use them. `killWriter` occurs twice, so that every other disaster
 * causes a failover.
 */
export const DISASTERS: readonly [Disaster, ...Disaster[]] = [
  killWriter,
  freezeWriter,
  restartDatabase,
  stopWriter,
  killWriter,
  killOther,
];
