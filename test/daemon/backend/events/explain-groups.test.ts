import { beforeEach, expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import type { Explanation, Simulation } from '../../../../shared/schemas/explain.ts';
import type { Ask } from '../../../support/asking.ts';
import { BackendRig } from '../../../support/backend-rig.ts';
import type { Answer } from '../../../support/raw-http.ts';
import { tempDir } from '../../../support/temp-dir.ts';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const SETTINGS = {
  handlers: {
    default: { ...PIPE, group_by: ['client.rack'], group_wait: 30, group_interval: 300, repeat_interval: 0 },
    chat: PIPE,
    rare: { ...PIPE, group_by: ['client.rack'], group_wait: 30, filters: ['occurrences'] },
    calm: { ...PIPE, group_by: ['client.rack'], severities: ['warning'] },
  },
  inhibitions: { switch: { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] } },
};
const QUIET = 'inhibited by switch while sw-a/switch is failing';
const BY = { 'client.rack': 'a' };

let rig: BackendRig;

beforeEach(async () => {
  const dir = await tempDir();
  const file = join(dir, 'settings.json');
  await writeFile(file, JSON.stringify(SETTINGS));
  const { handlers, inhibitions } = await loadConfig({ file, directories: [], env: {} });
  rig = await BackendRig.open({ handlers, inhibitions });
  for (const name of ['sw-a', 'a-1', 'a-2']) await ask('POST', '/clients', { name, address: 'x', rack: 'a' });
});

const ask: Ask = (...request) => rig.ask(...request);
const report = (source: string, name: string, status: number, more: object = {}): Promise<Answer> =>
  ask('POST', '/results', { source, name, status, output: 'o', ...more });
const explain = async (): Promise<Explanation> =>
  (await ask('GET', '/api/mon/v1/events/a-1/disk/explain')).body as Explanation;

/** Advances the clock by these seconds, and waits until the group was notified at that time. */
async function flushGroup(seconds: number): Promise<void> {
  rig.clock.advance(seconds * 1000);
  await expect
    .poll(async () => (await ask('GET', '/api/mon/v1/handler-groups')).body)
    .toMatchObject([{ pending: 0, notified_at: rig.clock.now() / 1000 }]);
}

test('explain names the group in which an inhibited event will be pending after its next result', async () => {
  await report('sw-a', 'switch', 2);
  await report('a-1', 'disk', 2);
  const { reason, handlers } = await explain();
  const expectedReason = `${QUIET}; after that its next result is pending in its group client.rack=a (2 events)`;
  expect(reason).toBe(`no handler runs: default: ${expectedReason}`);
  expect(handlers).toMatchObject([{ verdict: 'inhibited', reason: expectedReason, inhibited_by: { rule: 'switch' } }]);
  expect(handlers[0]).not.toHaveProperty('group');
});

test('explain names the group in which an inhibited event is pending, and when and how it is flushed', async () => {
  await report('a-1', 'disk', 2);
  await report('sw-a', 'switch', 2);
  expect((await explain()).handlers).toMatchObject([
    {
      verdict: 'inhibited',
      reason: `${QUIET}; it is pending in its group client.rack=a (2 events), which is flushed in 30s without it if the inhibition lasts`,
      group: { by: BY, events: 2, due_at: rig.clock.now() / 1000 + 30 },
    },
  ]);
  await flushGroup(30);
  expect((await explain()).handlers).toMatchObject([
    {
      reason: `${QUIET}; its group client.rack=a (2 events) was flushed without it; it is notified with the next result after that`,
      group: { by: BY, events: 2, due_at: null },
    },
  ]);
  await report('sw-a', 'switch', 0);
  expect((await explain()).handlers).toMatchObject([
    {
      verdict: 'handle',
      reason:
        'it was inhibited at the last flush of its group client.rack=a (2 events); it is notified with its next result',
      group: { due_at: null },
    },
  ]);
  await report('a-1', 'disk', 2);
  expect((await explain()).reason).toMatch(
    /^default handles it: it is pending in its group client\.rack=a \(2 events\), which/,
  );
});

test('explain says that the group of an inhibited event was notified and sends nothing until the inhibition ends', async () => {
  await report('a-1', 'disk', 1);
  await flushGroup(30);
  await report('sw-a', 'switch', 2);
  const known = 'its group client.rack=a (2 events) was notified of it; no more notifications until then';
  expect((await explain()).handlers).toMatchObject([{ reason: `${QUIET}; ${known}`, group: { due_at: null } }]);
  const simulated = await ask('POST', '/api/mon/v1/simulate', { source: 'a-1', name: 'disk', status: 2, output: '' });
  expect((simulated.body as Simulation).handlers).toMatchObject([{ reason: `${QUIET}; ${known}` }]);
});

const SILENCED = 'silenced by *:disk, and the handler does not set handle_silenced: true';

test('explain names the group in which a silenced event is pending, and when it is notified', async () => {
  await report('a-2', 'disk', 2, { handlers: ['default', 'chat'] });
  await report('a-1', 'disk', 2, { handlers: ['default', 'chat'] });
  await ask('POST', '/silenced', { check: 'disk' });
  const { reason, handlers } = await explain();
  expect(reason).toBe(`no handler runs: ${SILENCED}`);
  expect(handlers).toMatchObject([
    {
      verdict: 'silenced',
      silenced_by: ['*:disk'],
      reason: `${SILENCED}; it is pending in its group client.rack=a (2 events) and is notified at a flush after that`,
      group: { by: BY, events: 2, due_at: null },
    },
    { verdict: 'silenced', reason: SILENCED },
  ]);
  expect(handlers[1]).not.toHaveProperty('group');
});

test('explain says that the group of a silenced event was notified and sends nothing until the silence ends', async () => {
  await report('a-1', 'disk', 1);
  await flushGroup(30);
  await ask('POST', '/silenced', { check: 'disk' });
  const known = `${SILENCED}; its group client.rack=a (1 event) was notified of it; no more notifications until then`;
  const { reason, handlers } = await explain();
  expect(reason).toBe(`no handler runs: default: ${known}`);
  expect(handlers).toMatchObject([{ reason: known, group: { due_at: null } }]);
});

test('explain says that the group of a silenced event was flushed without the event during an inhibition', async () => {
  await report('a-1', 'disk', 2);
  await report('sw-a', 'switch', 2);
  await flushGroup(30);
  await ask('POST', '/silenced', { check: 'disk' });
  expect((await explain()).handlers).toMatchObject([
    {
      verdict: 'silenced',
      reason: `${SILENCED}; its group client.rack=a (2 events) was flushed without it; it is notified with the next result after that`,
    },
  ]);
});

test('explain mentions no group that does not apply, and states a reason common to all handlers once', async () => {
  await report('sw-a', 'switch', 2);
  await report('a-1', 'disk', 2, { handlers: ['default', 'chat', 'calm'] });
  const { reason, handlers } = await explain();
  expect(handlers.map((verdict) => verdict.verdict)).toEqual(['inhibited', 'inhibited', 'severity']);
  expect(handlers[1]?.reason).toBe(QUIET);
  expect(reason).toBe('no handler runs: each handler has its own reason');
  await report('a-2', 'disk', 2, { handlers: ['default', 'chat'] });
  const other = await ask('GET', '/api/mon/v1/events/a-2/disk/explain');
  expect((other.body as Explanation).reason).toBe(`no handler runs: ${QUIET}`);
});

test('explain says that an event waits for its group while the filter occurrences rejects its next result', async () => {
  for (let count = 0; count < 2; count += 1) {
    await report('a-1', 'disk', 2, { handlers: ['rare'], interval: 10, refresh: 600 });
  }
  const [waiting] = (await explain()).handlers;
  expect(waiting).toMatchObject({ verdict: 'filtered', notified: false, group: { by: BY } });
  expect(waiting?.reason).toMatch(/; it is pending in its group client\.rack=a \(1 event\), which is notified in 30s$/);
  await flushGroup(30);
  expect((await explain()).handlers).toMatchObject([{ notified: true, group: { due_at: null } }]);
});
