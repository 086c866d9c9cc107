import { expect, onTestFinished, test } from 'vitest';
import { AGGREGATE_DELETIONS } from '../../../../daemon/backend/model/aggregates/storage.ts';
import { Aggregates } from '../../../../daemon/backend/aggregates/commands.ts';
import { BACKEND_ACTOR } from '../../../../daemon/backend/model/audit/mutations.ts';
import { EntityLimit } from '../../../../daemon/backend/model/clients/entity-limit.ts';
import { CLIENTS } from '../../../../daemon/backend/model/clients/storage.ts';
import { Clients } from '../../../../daemon/backend/clients/commands.ts';
import { Batcher } from '../../../../daemon/backend/commit/batcher.ts';
import { Definitions } from '../../../../daemon/backend/model/config/definitions.ts';
import { CHECK_RECORDS } from '../../../../daemon/backend/model/events/storage.ts';
import { NAMESPACES } from '../../../../daemon/backend/model/namespaces/storage.ts';
import { Namespaces } from '../../../../daemon/backend/namespaces/commands.ts';
import { Registry } from '../../../../daemon/backend/model/registry/registry.ts';
import { AGENT_SPOOLS } from '../../../../daemon/backend/model/results/storage.ts';
import { Results } from '../../../../daemon/backend/results/commands.ts';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { TABLES } from '../../../../daemon/backend/model/tables/tables.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test('deleting a namespace deletes all of its data, even changes from the same batch', async () => {
  const store = await openLevelStore(await tempDir());
  const registry = new Registry(TABLES);
  await registry.load(store);
  const clock = new ManualClock();
  const lease = await store.acquire('main', 30_000);
  const batcher = new Batcher({ registry, store, lease, clock, log: new RecordedLog() }, { batchLimit: 100 });
  onTestFinished(async () => {
    await batcher.close();
    await store.close();
  });
  const entityLimit = new EntityLimit(registry, () => 'unlimited');
  const definitions = new Definitions({ checks: new Map(), handlers: new Map() });
  const results = new Results({ batcher, definitions, clock, limits: { proxyClientQuota: 10, entityLimit } });
  const clients = new Clients({ batcher, entityLimit, quarantineSeconds: 60 });
  const namespaces = new Namespaces(batcher);
  const aggregates = new Aggregates(batcher);
  /** Commits these requests as one batch. */
  const committed = async (...asked: readonly Promise<unknown>[]): Promise<void> => {
    clock.advance(10);
    await Promise.all(asked);
  };
  /** Returns the table prefixes of the stored keys of the namespace, without audit trail and timeline. */
  const stored = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const [key] of store.scan([]))
      if (key.includes('shop') && key[0] !== 'audit') found.push(String(key[0]));
    // The timeline of the namespace is deleted later, in chunks: see timeline/clock.ts.
    return [...new Set(found)].filter((prefix) => !prefix.startsWith('timeline')).toSorted();
  };
  const check = { name: 'disk', output: '', status: 2, executed: 0, aggregates: ['fleet', 'others'] };
  const deliver = (id: number): Promise<unknown> => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const frame = { client: 'web-1', spool: 'kept', results: [{ id, check }] };
    const asked = { cancellation: { isCancelled: false }, admission: () => undefined };
    results.submitFromAgent('shop', { ...frame, ...asked }, () => undefined, resolve);
    return promise;
  };

  const kept = [AGENT_SPOOLS, AGGREGATE_DELETIONS, CHECK_RECORDS, CLIENTS, NAMESPACES];
  await committed(namespaces.put('shop', () => undefined, BACKEND_ACTOR));
  await committed(deliver(1));
  await committed(aggregates.remove('shop', 'fleet'));
  expect(await stored()).toEqual(kept.map(({ prefix }) => prefix).toSorted());
  await committed(
    deliver(2),
    aggregates.remove('shop', 'others'),
    clients.remove('shop', 'web-1', { expireSeconds: 3600 }),
    namespaces.remove('shop', () => undefined, BACKEND_ACTOR),
  );
  expect(await stored()).toEqual([]);
});
