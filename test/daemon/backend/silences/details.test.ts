import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openLevelStore } from '../../../../daemon/backend/store/level-store.ts';
import { SILENCED_USES } from '../../../../daemon/backend/model/silences/storage.ts';
import { openApiClient } from '../../../../shared/client/api-client.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import { HandlingRig } from '../../../support/handling-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { startBackend } from '../../../support/running-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { countSuppressedRuns, saveSilenced } from '../../../../daemon/backend/model/silences/mutations.ts';

const NOW = ManualClock.START_MS / 1000;
const HANDLERS = new Map([['default', handlerSchema.parse({ type: 'pipe', command: 'cat > /dev/null' })]]);
const FAILING = { source: 'web-1', name: 'disk', output: 'full', status: 2 };

/** Returns for each silence how often it suppressed a notification, and when it last did, in seconds after `NOW`. */
async function uses({ api }: BackendRig): Promise<unknown[]> {
  return (await api.silencedDetails()).map(({ id, suppressed, last_suppressed: last }) => [
    id,
    suppressed,
    last === null ? null : last - NOW,
  ]);
}

test('a silence is shown with the number and the time of the notifications that it suppressed', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  await rig.api.silence({ check: 'disk', expire: 60, reason: 'CHG-1' });
  await rig.api.silence({ subscription: 'client:web-1' });
  expect(await uses(rig)).toEqual([
    ['*:disk', 0, null],
    ['client:web-1:*', 0, null],
  ]);
  await rig.api.submitResult(FAILING);
  rig.clock.advance(10_000);
  await rig.api.submitResult(FAILING);
  await rig.api.submitResult({ ...FAILING, name: 'load' });
  await rig.api.submitResult({ ...FAILING, name: 'fine', status: 0 });
  expect(await uses(rig)).toEqual([
    ['*:disk', 2, 10],
    ['client:web-1:*', 3, 10],
  ]);
  const { body } = await rig.ask('GET', '/api/mon/v1/silenced/*:disk');
  expect(body).toEqual({
    id: '*:disk',
    subscription: null,
    check: 'disk',
    reason: 'CHG-1',
    creator: null,
    begin: null,
    expire_on_resolve: false,
    timestamp: NOW,
    expire: 50,
    expire_at: NOW + 60,
    suppressed: 2,
    last_suppressed: NOW + 10,
  });
});

test('the suppression count of a silence survives a restart and is deleted together with the silence', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  await rig.api.silence({ check: 'disk', expire: 60 });
  await rig.api.silence({ subscription: 'client:web-1', check: 'disk' });
  await rig.api.submitResult(FAILING);
  await rig.stop();
  await rig.start({ handlers: HANDLERS });
  await rig.api.submitResult(FAILING);
  expect(await uses(rig)).toEqual([
    ['*:disk', 2, 0],
    ['client:web-1:disk', 2, 0],
  ]);
  await rig.api.clearSilenced({ id: 'client:web-1:disk' });
  rig.clock.advance(60_000);
  await vi.waitFor(async () => expect(await uses(rig)).toEqual([]));
  await rig.stop();
  const store = await openLevelStore(rig.dir);
  onTestFinished(() => store.close());
  const left: unknown[] = [];
  for await (const [key] of store.scan([SILENCED_USES.prefix])) left.push(key);
  expect(left).toEqual([]);
});

test('the suppression count of a silence that replaces another silence starts at 0, even after a restart', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  await rig.api.silence({ check: 'disk' });
  await rig.api.submitResult(FAILING);
  await rig.api.silence({ check: 'disk', reason: 'again' });
  expect(await uses(rig)).toEqual([['*:disk', 0, null]]);
  await rig.stop();
  await rig.start({ handlers: HANDLERS });
  expect(await uses(rig)).toEqual([['*:disk', 0, null]]);
});

test('the suppression count of a silence starts at 0 if it is replaced in the batch in which it suppressed', async () => {
  const rig = await HandlingRig.open({ handlers: { default: { type: 'pipe', command: 'true' } } });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const { silenced } = rig.registry.namespace(DEFAULT_NAMESPACE);
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
  await rig.batcher.run((transaction) => {
    const namespace = transaction.registry.namespace(DEFAULT_NAMESPACE);
    const entry = silenced.get('*:disk');
    if (entry === undefined) throw new Error('there is no entry');
    countSuppressedRuns(transaction, namespace, ['*:disk']);
    saveSilenced(transaction, namespace, entry, 'ada');
  });
  expect(silenced.use('*:disk')).toBeUndefined();
  await rig.registry.load(rig.store);
  expect(rig.registry.namespace(DEFAULT_NAMESPACE).silenced.use('*:disk')).toBeUndefined();
});

test('the suppression count of a silence is written once per batch and is not sent on the feed', async () => {
  const rig = await HandlingRig.open({ handlers: { default: { type: 'pipe', command: 'true' } } });
  onTestFinished(() => rig[Symbol.asyncDispose]());
  await rig.silenced.create(DEFAULT_NAMESPACE, { check: 'disk' });
  const changes: unknown[] = [];
  const watch = await rig.store.watch('main', rig.store.lastSeq('main'), (record) =>
    changes.push(...record.changes.filter(([kind]) => kind !== 'attributes')),
  );
  onTestFinished(() => watch.close());
  const puts: unknown[] = [];
  rig.store.refuses = (ops) => {
    puts.push(
      ...ops.flatMap((op) => (op.key[0] === SILENCED_USES.prefix && op.type === 'put' ? JSON.parse(op.value) : [])),
    );
    return false;
  };
  const results = Array.from({ length: 5 }, () => FAILING);
  await rig.results.submit(DEFAULT_NAMESPACE, results);
  expect(puts).toEqual([{ suppressed: 5, last_suppressed: NOW, unmatched_since: NOW }]);
  expect(changes).toEqual([
    ['client', DEFAULT_NAMESPACE, 'web-1'],
    ['event', DEFAULT_NAMESPACE, 'web-1', 'disk'],
  ]);
});

test('the silences of the mon API can be filtered and paginated like those of the v1 API', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  for (const check of ['a', 'b', 'c']) await rig.api.silence({ check, subscription: check === 'c' ? 'web' : null });
  const page = await rig.ask('GET', '/api/mon/v1/silenced?limit=1&offset=1');
  expect(page.body).toMatchObject([{ id: '*:b' }]);
  expect(page.headers['x-pagination']).toBe('{"limit":1,"offset":1,"total":3}');
  expect((await rig.api.silencedDetails({ check: 'a' })).map(({ id }) => id)).toEqual(['*:a']);
  expect((await rig.api.silencedDetails({ subscription: 'web' })).map(({ id }) => id)).toEqual(['web:c']);
  const { body } = await rig.ask('GET', '/silenced?limit=1');
  expect(body).toEqual([
    {
      id: '*:a',
      subscription: null,
      check: 'a',
      reason: null,
      creator: null,
      begin: null,
      expire_on_resolve: false,
      timestamp: NOW,
      expire: -1,
    },
  ]);
});

test('GET /api/mon/v1/silenced/:id returns 404 for an unknown or expired silence', async () => {
  const rig = await BackendRig.open({ handlers: HANDLERS });
  await rig.api.silence({ check: 'disk', expire: 0 });
  for (const id of ['*:disk', '*:nope']) {
    expect(await rig.api.silencedDetail(id)).toBeUndefined();
    const { status, body } = await rig.ask('GET', `/api/mon/v1/silenced/${id}`);
    expect([status, body]).toEqual([404, { error: `there is no silence ${id}`, code: 'not_found' }]);
  }
  expect((await rig.ask('DELETE', '/api/mon/v1/silenced/*:disk')).status).toBe(405);
});

test.each([
  { setting: {}, handled: ['disk silence ended', 'load'] },
  { setting: { 'renotify-after-silence': false }, handled: ['load'] },
])(
  'the notifications with the settings $setting after a silence was cleared are $handled',
  async ({ setting, handled }) => {
    const file = join(await tempDir(), 'events');
    // The runs are sequential, so an unexpected notification would come before the expected one.
    const handler = { type: 'pipe', command: `cat >> ${file}; echo >> ${file}`, concurrency: 1 };
    const backend = await startBackend({ settings: { ...setting, handlers: { default: handler } } });
    onTestFinished(() => backend[Symbol.asyncDispose]());
    const api = openApiClient({ backend: backend.url });
    await api.silence({ check: 'disk' });
    await api.submitResult(FAILING);
    await api.clearSilenced({ check: 'disk' });
    await api.submitResult({ ...FAILING, name: 'load' });
    await vi.waitFor(async () => {
      const events = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '');
      const names = events.map((line) => {
        const { check, silence_ended: hasEnded } = JSON.parse(line) as {
          check: { name: string };
          silence_ended?: true;
        };
        return `${check.name}${hasEnded === true ? ' silence ended' : ''}`;
      });
      expect(names).toEqual(handled);
    });
  },
);
