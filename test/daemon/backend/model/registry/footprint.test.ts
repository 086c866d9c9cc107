import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Footprint } from '../../../../../daemon/backend/model/registry/footprint.ts';
import { Namespace } from '../../../../../daemon/backend/model/registry/namespace.ts';
import { NO_CHECK_STATE, nextCheckState } from '../../../../../shared/domain/event.ts';
import { silencedEntry } from '../../../../../shared/domain/silencing.ts';
import { stashesOf } from '../../../../../daemon/backend/model/stashes/state.ts';

const MEASURE = fileURLToPath(new URL('../../../../support/measure-footprint.ts', import.meta.url));

test('the estimated memory of stored objects is between 0.8 and 2 times the heap that they use', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', MEASURE]);
  for (const [kind, ratio] of JSON.parse(stdout) as [string, number][]) {
    expect({ kind, isRight: ratio > 0.8 && ratio < 2 }).toEqual({ kind, isRight: true });
  }
});

const silence = (of: string, reason: string | null = null) =>
  silencedEntry({ subscription: null, check: of, reason, creator: null }, 0);

test('the estimated memory is zero after all objects were deleted, whatever was changed before', () => {
  const name = fc.constantFrom('a', 'b');
  const check = fc.constantFrom('cpu', 'disk');
  const step = fc.oneof(
    fc.record({
      do: fc.constant('client' as const),
      name,
      subscriptions: fc.subarray(['web', 'db']),
      address: fc.constantFrom('10.0.0.1', ''),
      signature: fc.constantFrom('', 'own'),
    }),
    fc.record({
      do: fc.constant('report' as const),
      name,
      check,
      status: fc.constantFrom(0, 2),
      aggregates: fc.subarray(['x', 'y']),
    }),
    fc.record({ do: fc.constant('remove check' as const), name, check }),
    fc.record({ do: fc.constant('remove client' as const), name }),
    fc.record({ do: fc.constant('dissolve' as const), name: fc.constantFrom('x', 'y') }),
    fc.record({ do: fc.constant('silence' as const), check, reason: fc.constantFrom(null, 'why') }),
    fc.record({ do: fc.constant('clear' as const), check }),
    fc.record({ do: fc.constantFrom('stash' as const, 'unstash' as const, 'mark' as const, 'unmark' as const), name }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const footprint = new Footprint();
      const namespace = new Namespace('default', footprint);
      for (const given of steps) {
        const owner = 'name' in given ? namespace.clients.get(given.name) : undefined;
        if (given.do === 'client') {
          const { name: own, address, subscriptions, signature } = given;
          namespace.putClient({ name: own, address, subscriptions, timestamp: 1, version: '1.9.0' }, { signature });
        } else if (given.do === 'report' && owner !== undefined) {
          const entry = namespace.ensureCheck(owner, given.check);
          const { status, aggregates } = given;
          const result = { name: given.check, output: '', status, executed: 1, issued: 1, aggregates };
          const { state } = nextCheckState(entry.state, result, { now: 1, newId: () => 'id' });
          namespace.setCheck(entry, state, result, '');
        } else if (given.do === 'remove check') {
          const entry = owner?.checks.get(given.check);
          if (entry !== undefined) namespace.removeCheck(entry);
        } else if (given.do === 'remove client' && owner !== undefined) namespace.removeClient(owner);
        else if (given.do === 'dissolve') {
          const aggregate = namespace.aggregates.get(given.name);
          if (aggregate !== undefined) namespace.deleteAggregate(aggregate);
        } else if (given.do === 'silence') namespace.silenced.put(silence(given.check, given.reason));
        else if (given.do === 'clear') namespace.silenced.remove(silence(given.check));
        else if (given.do === 'stash') stashesOf(namespace).put({ path: given.name, expireAtMs: null });
        else if (given.do === 'unstash') stashesOf(namespace).remove(given.name);
        else if (given.do === 'mark') namespace.tombstones.set(given.name, { deletedMs: 1, untilMs: 2 });
        else if (given.do === 'unmark') namespace.tombstones.delete(given.name);
      }
      for (const client of namespace.clients.values()) {
        expect(client.bytes).toBeGreaterThan(0);
        for (const entry of client.checks.values()) expect(entry.state).not.toBe(NO_CHECK_STATE);
      }
      for (const client of namespace.clients.values()) namespace.removeClient(client);
      for (const entry of namespace.silenced.all()) namespace.silenced.remove(entry);
      for (const { path } of stashesOf(namespace).all()) stashesOf(namespace).remove(path);
      namespace.tombstones.clear();
      expect(footprint.bytes).toBe(0);
    }),
  );
});
