import { describe, expect, test } from 'vitest';
import { START_ORDER } from '../../../../daemon/backend/compose/start-order.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';
import { postgresOfFile, startSharing } from '../../../support/shared-database.ts';

/** Stops a backend, and returns the names of its parts from the log, in the order in which they stopped. */
async function stoppedParts(backend: RunningBackend): Promise<readonly string[]> {
  await backend[Symbol.asyncDispose]();
  return backend.log.records.flatMap(({ fields: { part } }) => (typeof part === 'string' ? [part] : []));
}

/** Returns the names of all parts except the absent ones, in the order in which they should stop. */
function reversedOrderWithout(...absent: readonly string[]): readonly string[] {
  return START_ORDER.toReversed().filter((name) => !absent.includes(name));
}

test('each part of the backend occurs once in the start order', () => {
  expect(START_ORDER).toHaveLength(new Set(START_ORDER).size);
});

test('a stopping leader stops its parts, and its leader-only parts, in the reverse of the start order', async () => {
  const backend = await startBackend({ settings: { 'agent-listener': { bind: '127.0.0.1', port: 0 } } });
  const stopped = await stoppedParts(backend);
  const ofSharedStore = ['following', 'other backends', 'forwarding', 'tunnels of other backends', 'tunnels of agents'];
  const expected = reversedOrderWithout(...ofSharedStore, 'membership', 'configuration');
  expect(stopped.filter((name) => expected.includes(name))).toEqual(expected);
  const ofLeader = ['connections', 'keepalives', 'handlers', 'work of the leader', 'activity'];
  expect(stopped.filter((name) => ofLeader.includes(name))).toEqual(ofLeader);
});

describe('a backend with a shared store', () => {
  const postgres = postgresOfFile();

  test('a stopping follower stops its parts in the reverse of the start order', async () => {
    const database = await postgres().database();
    await startSharing(database);
    const follower = await startSharing(database);
    const expected = reversedOrderWithout('lease', 'listener of agents', 'configuration');
    expect(await stoppedParts(follower)).toEqual(expected);
  });
});
