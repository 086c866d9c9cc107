import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../scripts/lib/postgres-server.ts';
import type { Chance } from './chance.ts';
import { takeOverMs, type Members } from './members.ts';

/**
 * A disaster of members that share a database.
 *
 * @returns the milliseconds of the failover; `undefined` if there was none
 */
export type Disaster = (members: Members, server: PostgresServer, chance: Chance) => Promise<number | undefined>;

const killWriter: Disaster = async (members) => {
  const at = await members.writer();
  await members.member(at).end('SIGKILL');
  const took = await takeOverMs(members, at);
  await members.startAgain(at);
  return took;
};

const killOther: Disaster = async (members, _server, chance) => {
  const count = members.urls.length;
  const at = ((await members.writer()) + 1 + chance.below(count - 1)) % count;
  await members.member(at).end('SIGKILL');
  await members.startAgain(at);
  return undefined;
};

/** Stopping makes a handover, which is not counted: it would make failovers look faster than they are. */
const stopWriter: Disaster = async (members) => {
  const at = await members.writer();
  await members.member(at).end('SIGTERM');
  await takeOverMs(members, at);
  await members.startAgain(at);
  return undefined;
};

/** The leader freezes for longer than its lease, and resumes after another member became leader. */
const freezeWriter: Disaster = async (members, _server, chance) => {
  const at = await members.writer();
  const frozen = members.member(at);
  process.kill(frozen.pid, 'SIGSTOP');
  const took = await takeOverMs(members, at);
  await delay(chance.below(1000));
  process.kill(frozen.pid, 'SIGCONT');
  return took;
};

/** If the database is down for longer than the lease, any member may become leader afterwards. */
const restartDatabase: Disaster = async (_members, server, chance) => {
  await (chance.below(2) === 0 ? server.kill() : server.stop());
  await delay(chance.below(1000));
  await server.start();
  return undefined;
};

/** The disasters, which are used in turn. */
export const DISASTERS: readonly [Disaster, ...Disaster[]] = [
  killWriter,
  freezeWriter,
  restartDatabase,
  stopWriter,
  killWriter,
  killOther,
];
