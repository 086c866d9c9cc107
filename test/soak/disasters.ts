import { setTimeout as delay } from 'node:timers/promises';
import type { PostgresServer } from '../../scripts/lib/postgres-server.ts';
import type { Chance } from './chance.ts';
import { takeOverMs, type Members } from './members.ts';

/** What happens to members that share a database. @returns how long a take-over took, in milliseconds; undefined: there was none */
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

/** It hands over, which is no take-over: as one it would make these look faster than they are. */
const stopWriter: Disaster = async (members) => {
  const at = await members.writer();
  await members.member(at).end('SIGTERM');
  await takeOverMs(members, at);
  await members.startAgain(at);
  return undefined;
};

/** It stands still for longer than its lease, and goes on when another one has taken over. */
const freezeWriter: Disaster = async (members, _server, chance) => {
  const at = await members.writer();
  const frozen = members.member(at);
  process.kill(frozen.pid, 'SIGSTOP');
  const took = await takeOverMs(members, at);
  await delay(chance.below(1000));
  process.kill(frozen.pid, 'SIGCONT');
  return took;
};

/** When it is away for longer than the lease, any of them may have it afterwards. */
const restartDatabase: Disaster = async (_members, server, chance) => {
  await (chance.below(2) === 0 ? server.kill() : server.stop());
  await delay(chance.below(1000));
  await server.start();
  return undefined;
};

/** In turns. */
export const DISASTERS: readonly [Disaster, ...Disaster[]] = [
  killWriter,
  freezeWriter,
  restartDatabase,
  stopWriter,
  killWriter,
  killOther,
];
