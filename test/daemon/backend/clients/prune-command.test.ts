import { describe, expect, test } from 'vitest';
import type { Backend } from '../../../../daemon/backend/compose.ts';
import { pruneCommand, type PruneFlags } from '../../../../daemon/backend/clients/prune-command.ts';
import { asking, type Ask } from '../../../support/asking.ts';
import { commandRig, type CommandRig } from '../../../support/command-rig.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DAY_MS = 24 * 3600 * 1000;
const FLAGS: PruneFlags = {
  olderThan: undefined,
  name: undefined,
  namespace: undefined,
  skipConfirm: false,
  dryRun: false,
};
const OLD = { ...FLAGS, olderThan: 30 * 24 * 3600 };

/** Runs a backend on a store during `act`, with its clock this number of days after the start of the manual clock. */
async function serving<T>(dir: string, days: number, act: (ask: Ask) => Promise<T>): Promise<T> {
  const clock = new ManualClock();
  clock.advance(days * DAY_MS);
  const backend: Backend = await openBackend({ dir, clock, batcher: { batchLimit: 1 } });
  try {
    return await act(asking(backend.url));
  } finally {
    await backend.stop();
  }
}

interface Trail {
  readonly how: string;
  readonly after: readonly { readonly target: string }[];
}

const namesOf = async (ask: Ask, target: string): Promise<string[]> =>
  (
    (await ask('GET', target)).body as {
      name?: string;
      client?: string | { name: string };
      metadata?: { name: string };
    }[]
  ).map(
    ({ name, client, metadata }) =>
      name ?? metadata?.name ?? (typeof client === 'string' ? client : client?.name) ?? '',
  );

/**
 * Creates a store and returns its directory. Its clients are 40 days old, except `new`, which is from today; `ci-2` has
 * a result of today.
 */
async function aStore(): Promise<string> {
  const dir = await tempDir();
  await serving(dir, 0, async (ask) => {
    await ask('POST', '/clients', { name: 'gone', address: '10.0.0.1' });
    for (const source of ['ci-1', 'ci-2'])
      await ask('POST', '/results', { source, name: 'disk', output: 'full', status: 2 });
    await ask('POST', '/api/core/v2/namespaces', { name: 'dev' });
    const metadata = { name: 'gone', namespace: 'dev' };
    await ask('POST', '/api/core/v2/namespaces/dev/entities', { metadata, entity_class: 'proxy' });
  });
  await serving(dir, 40, async (ask) => {
    await ask('POST', '/results', { source: 'ci-2', name: 'disk', output: 'full', status: 2 });
    await ask('POST', '/clients', { name: 'new', address: '10.0.0.1' });
  });
  return dir;
}

function rigOf(answer = true): CommandRig {
  const clock = new ManualClock();
  clock.advance(40 * DAY_MS);
  return commandRig({ answer, clock });
}

const remainingNames = (
  dir: string,
): Promise<{ clients: string[]; entities: string[]; results: string[]; events: string[] }> =>
  serving(dir, 40, async (ask) => ({
    clients: await namesOf(ask, '/clients'),
    entities: await namesOf(ask, '/api/core/v2/namespaces/dev/entities'),
    results: await namesOf(ask, '/results'),
    events: await namesOf(ask, '/events'),
  }));

const ALL = {
  clients: ['ci-1', 'ci-2', 'gone', 'new'],
  entities: ['gone'],
  results: ['ci-1', 'ci-2'],
  events: ['ci-1', 'ci-2'],
};

test.each<{ title: string; flags: PruneFlags; removedClients: string[]; remaining: Partial<typeof ALL> }>([
  {
    title: 'clients without data for the given time, but no proxy client with a recent result',
    flags: OLD,
    removedClients: ['default/ci-1', 'default/gone', 'dev/gone'],
    remaining: { clients: ['ci-2', 'new'], entities: [], results: ['ci-2'], events: ['ci-2'] },
  },
  {
    title: 'clients by name',
    flags: { ...FLAGS, name: 'ci-?' },
    removedClients: ['default/ci-1', 'default/ci-2'],
    remaining: { clients: ['gone', 'new'], results: [], events: [] },
  },
  {
    title: 'clients of one namespace',
    flags: { ...FLAGS, namespace: 'dev' },
    removedClients: ['dev/gone'],
    remaining: { entities: [] },
  },
  {
    title: 'clients that match all conditions',
    flags: { ...OLD, name: '*o*', namespace: 'default' },
    removedClients: ['default/gone'],
    remaining: { clients: ['ci-1', 'ci-2', 'new'] },
  },
  { title: 'no client that does not match', flags: { ...FLAGS, name: 'x*' }, removedClients: [], remaining: {} },
])('the command prune deletes $title', async ({ flags, removedClients, remaining }) => {
  const dir = await aStore();
  const rig = rigOf();
  await pruneCommand({ 'state-dir': dir }, flags, rig);
  expect(rig.printed.join('')).toContain(removedClients.map((name) => `  ${name}\n`).join(''));
  expect(rig.questions).toHaveLength(removedClients.length === 0 ? 0 : 1);
  expect(await remainingNames(dir)).toEqual({ ...ALL, ...remaining });
  await serving(dir, 40, async (ask) => {
    expect((await ask('GET', '/health?deep=1')).body).toMatchObject({ problems: [] });
    const records = (await ask('GET', '/api/mon/v1/audit?limit=10')).body as Trail[];
    const pruned = records.filter(({ how }) => how === 'mon-backend prune').flatMap(({ after }) => after);
    expect(pruned.map(({ target }) => target)).toEqual(removedClients);
  });
});

describe('a prune that deletes nothing', () => {
  test('a dry run of prune deletes no client and prints the clients that would be deleted', async () => {
    const dir = await aStore();
    const rig = rigOf();
    await pruneCommand({ 'state-dir': dir }, { ...OLD, dryRun: true }, rig);
    expect(rig.printed.join('')).toMatch(/^3 clients of 5 match\n {2}default\/ci-1\n/);
    expect(await remainingNames(dir)).toEqual(ALL);
  });

  test.each([
    { title: 'when the operator declines', rig: rigOf(false), flags: OLD, error: /aborted by operator/ },
    { title: 'without a selection', rig: rigOf(), flags: FLAGS, error: /--older-than DURATION, --name PATTERN/ },
  ])('the command prune deletes nothing $title', async ({ rig, flags, error }) => {
    const dir = await aStore();
    await expect(pruneCommand({ 'state-dir': dir }, flags, rig)).rejects.toThrow(error);
    expect(await remainingNames(dir)).toEqual(ALL);
  });

  test('the command prune is rejected while a backend uses the store', async () => {
    const dir = await aStore();
    await serving(dir, 40, () =>
      expect(pruneCommand({ 'state-dir': dir }, OLD, rigOf())).rejects.toMatchObject({ code: 'conflict' }),
    );
  });
});

test('an interrupted prune can be completed by another run', async () => {
  const dir = await tempDir();
  const many = Array.from({ length: 450 }, (_, at) => ({ source: `ci-${String(at)}`, name: 'disk', output: '' }));
  await serving(dir, 0, (ask) => ask('POST', '/api/mon/v1/results', many));
  const rig = rigOf();
  const stopped = { ...rig, ask: async () => (queueMicrotask(() => rig.stop.abort(new Error('stopped'))), true) };
  await expect(pruneCommand({ 'state-dir': dir }, { ...FLAGS, name: 'ci-*' }, stopped)).rejects.toThrow('stopped');
  await pruneCommand({ 'state-dir': dir }, { ...FLAGS, name: 'ci-*', skipConfirm: true }, rigOf());
  expect(await serving(dir, 0, (ask) => namesOf(ask, '/clients'))).toEqual([]);
});
