import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { administratorOf } from '../../../../support/administrator.ts';
import { backendAddress } from '../../../../../shared/client/local-access.ts';
import type { Backend } from '../../../../../daemon/backend/compose.ts';
import { upgradeThroughBackend } from '../../../../../daemon/backend/store/upgrade/upgrade-through.ts';
import { writeEarlierStore, type EarlierStore } from '../../../../../scripts/fixtures/earlier-store.ts';
import { AgentPeer } from '../../../../support/agent-peer.ts';
import { commandRig, FLAGS, loggedRecords, type CommandRig } from '../../../../support/command-rig.ts';
import { checkRecordsOf, earlierStore, upgradeStore } from '../../../../support/earlier-stores.ts';
import { openBackend } from '../../../../support/open-backend.ts';
import { MonError } from '../../../../../shared/errors.ts';
import type { Store, StoreSchema } from '../../../../../daemon/backend/ports.ts';
import { RecordedLog } from '../../../../support/recorded-log.ts';
import { tempDir } from '../../../../support/temp-dir.ts';
import { FaultyStore } from '../../../../support/faulty-store.ts';

interface Served {
  readonly backend: Backend;
  readonly dir: string;
  readonly log: RecordedLog;
}

/** Starts a backend on a store of an earlier version. */
async function serving(store: Partial<EarlierStore> & Pick<EarlierStore, 'schema'>): Promise<Served> {
  const dir = await earlierStore(store);
  const log = new RecordedLog();
  const backend = await openBackend({ dir, log });
  onTestFinished(() => backend.stop());
  return { backend, dir, log };
}

const through = ({ backend }: Served, rig: CommandRig, flags = FLAGS): Promise<void> =>
  upgradeThroughBackend(backendAddress(backend.url, { env: {} }), flags, rig);

async function get(url: string, path: string): Promise<unknown> {
  return (await fetch(url + path)).json();
}

function post({ url }: Backend, body: string): Promise<Response> {
  return fetch(`${url}/api/mon/v1/store/upgrade`, { method: 'POST', headers: administratorOf(url), body });
}

test('a backend serves a store of an earlier schema like one of the newest schema, and logs a warning', async () => {
  const [old, current] = [await serving({ schema: 1 }), await serving({ schema: 2 })];
  expect(old.log.records).toContainEqual({
    level: 'warn',
    message: 'the database schema is outdated: run mon-backend upgrade',
    fields: { database_version: 1, new_version: 5 },
  });
  for (const path of ['/events', '/results', '/clients', '/silenced']) {
    const shown = await get(old.backend.url, path);
    expect(shown).not.toEqual([]);
    expect(shown).toEqual(await get(current.backend.url, path));
  }
  expect(await get(old.backend.url, '/api/mon/v1/versions')).toMatchObject({ store: { schema: 1 } });
});

test('a running backend can upgrade its store with a confirmation, the same log, an audit record and a backup', async () => {
  const served = await serving({ schema: 1 });
  const { backend, dir } = served;
  const before = await get(backend.url, '/events');
  const rig = commandRig();
  await through(served, rig);
  expect(rig.questions).toHaveLength(1);
  expect(loggedRecords(rig.log)).toEqual([
    ['warn', 'migrating embedded database to a new version', { database_version: 1, new_version: 5, url: backend.url }],
    ['info', 'successfully upgraded database', { database_version: 5 }],
  ]);
  expect(served.log.messages('info')).toEqual(
    expect.arrayContaining(['backup taken and verified', 'successfully upgraded database']),
  );
  expect(await get(backend.url, '/api/mon/v1/store/upgrade')).toEqual({
    schema: 5,
    newest: 5,
    pending: [],
    obstacles: [],
    run: { state: 'done', backup: expect.stringMatching(`^${dir}/backups/.*-schema-1$`) },
  });
  expect(await get(backend.url, '/events')).toEqual(before);
  expect(await get(backend.url, '/api/mon/v1/audit')).toMatchObject([
    { action: 'store.upgrade', who: 'local administrator', before: { schema: 1 }, after: { schema: 5 } },
  ]);

  const again = commandRig({ answer: false });
  await through(served, again);
  expect(loggedRecords(again.log)).toEqual([['info', 'database already up to date', { database_version: 5 }]]);

  await backend.stop();
  const clean = await tempDir();
  await writeEarlierStore(clean, { schema: 1, clients: 3, checksEach: 8, forms: ['state-first'] });
  await upgradeStore(clean);
  expect(await checkRecordsOf(dir)).toEqual(await checkRecordsOf(clean));
  // A new start logs no warning, because the store no longer has an earlier schema.
  const log = new RecordedLog();
  await (await openBackend({ dir, log })).stop();
  expect(log.messages('warn')).toEqual([]);
});

test('results that arrive during an upgrade are committed, and none is lost or replaced by an older result', async () => {
  const served = await serving({ schema: 1, clients: 40, checksEach: 100 });
  const { backend, dir } = served;
  const agents = await Promise.all(
    Array.from({ length: 4 }, async (_, at) => AgentPeer.connect(backend.url, `web-${String(at)}`)),
  );
  onTestFinished(() => agents.forEach((agent) => agent.cut()));
  await Promise.all(agents.map((agent) => agent.join('spool-9')));

  const enough = new AbortController();
  let sent = 0;
  const ingest = (async () => {
    while (!enough.signal.aborted) {
      sent++;
      for (const agent of agents) {
        // Every round changes another old record: some before the upgrade reaches them, and some after.
        const check = {
          name: `check-${String(sent % 100)}`,
          output: `new ${String(sent)}`,
          status: 2,
          executed: 1_795_000_000 + sent,
        };
        agent.say({ type: 'results', results: [{ id: sent, check }] });
      }
      await Promise.all(agents.map((agent) => agent.waitForAck(sent)));
    }
  })();
  const clientsSeen = new Set<number>();
  const reading = (async () => {
    while (!enough.signal.aborted) clientsSeen.add(((await get(backend.url, '/clients')) as unknown[]).length);
  })();
  await vi.waitFor(() => expect(sent).toBeGreaterThan(3));
  const beganAt = sent;
  await through(served, commandRig(), { ...FLAGS, skipConfirm: true });
  const endedAt = sent;
  enough.abort();
  await Promise.all([ingest, reading]);

  // Results were accepted during the upgrade, and every read returned all 40 clients.
  expect(clientsSeen).toEqual(new Set([40]));
  expect(endedAt).toBeGreaterThan(beganAt + 3);
  const results = (await get(backend.url, '/results')) as { client: string; check: { name: string; output: string } }[];
  expect(results).toHaveLength(4000);
  const newest = new Map(
    Array.from({ length: sent }, (_, at) => [`check-${String((at + 1) % 100)}`, `new ${String(at + 1)}`]),
  );
  for (const { client, check } of results) {
    const expected = Number(client.slice('web-'.length)) < agents.length ? newest.get(check.name) : undefined;
    expect(check.output).toMatch(expected === undefined ? /^result \d+ x*$/ : new RegExp(`^${expected}$`));
  }
  await backend.stop();
  expect((await checkRecordsOf(dir)).filter(([, value]) => !value.startsWith('{"history":{'))).toEqual([]);
});

describe('upgrades through a running backend that are rejected', () => {
  test('an upgrade with an obstacle is rejected, and the backend continues to run', async () => {
    const served = await serving({ schema: 2, checks: { gone: ['disk'] } });
    const rig = commandRig();
    await expect(through(served, rig)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('the namespace gone does not exist'),
    });
    expect(rig.log.messages('error')).toEqual([
      'error enabling round robin scheduling,backend restart required',
      'error upgrading database',
    ]);
    expect(await get(served.backend.url, '/api/mon/v1/store/upgrade')).toMatchObject({
      schema: 2,
      obstacles: [{ reason: 'the namespace gone does not exist' }],
      run: { state: 'none' },
    });
    expect((await post(served.backend, '{}')).status).toBe(409);
  });

  test('an upgrade through a running backend can be declined, and a dry run changes nothing', async () => {
    const served = await serving({ schema: 2 });
    await expect(through(served, commandRig({ answer: false }))).rejects.toThrow('upgrade aborted by operator');
    const rig = commandRig();
    await through(served, rig, { ...FLAGS, dryRun: true });
    expect(rig.printed.join('')).toContain('an upgrade would bring it to 5');
    expect(await get(served.backend.url, '/api/mon/v1/store/upgrade')).toMatchObject({
      schema: 2,
      run: { state: 'none' },
    });
  });

  test('an upgrade through a running backend rejects a directory for the backup', async () => {
    const served = await serving({ schema: 2 });
    const flags = { ...FLAGS, backup: { dir: '/tmp/x' } };
    await expect(through(served, commandRig(), flags)).rejects.toMatchObject({ code: 'invalid' });
  });

  test.each([{ body: '{"backup": 1}' }, { body: '{"timeout": 0}' }, { body: '{"dir": "/tmp"}' }])(
    'an upgrade request with the body $body is rejected',
    async ({ body }) => {
      const { backend } = await serving({ schema: 2 });
      expect((await post(backend, body)).status).toBe(400);
    },
  );
});

/** Wraps a store so that its disk rejects every step of an upgrade. */
function failingUpgrade(store: Store): Store {
  const { schema } = store;
  const faulty: StoreSchema = {
    version: schema.version,
    newest: schema.newest,
    diskSpace: () => schema.diskSpace(),
    pending: () => schema.pending(),
    obstacles: () => schema.obstacles(),
    backUp: (options) => schema.backUp(options),
    upgrade: () => Promise.reject(new MonError('unavailable', 'the disk is full')),
  };
  return Object.assign(new FaultyStore(store), { schema: faulty });
}

test('a failed upgrade through a running backend is reported, and the next upgrade continues it', async () => {
  const dir = await earlierStore({ schema: 2, checks: { default: ['disk'] } });
  const served = { dir, log: new RecordedLog(), backend: await openBackend({ dir, around: failingUpgrade }) };
  onTestFinished(() => served.backend.stop());
  const rig = commandRig();
  await expect(through(served, rig)).rejects.toMatchObject({
    code: 'unavailable',
    message: 'the disk is full',
  });
  expect(rig.log.messages('error')).toEqual(['error upgrading database']);
  expect(await readdir(join(dir, 'backups'))).toHaveLength(1);
  expect(await get(served.backend.url, '/api/mon/v1/store/upgrade')).toMatchObject({ run: { state: 'failed' } });
});

test(
  'a stopping backend interrupts its upgrade, which can be continued after the start',
  { tags: 'slow' },
  async () => {
    const served = await serving({ schema: 1, clients: 100, checksEach: 100 });
    const body = '{"backup": false}';
    expect((await post(served.backend, body)).status).toBe(202);
    expect((await post(served.backend, body)).status).toBe(409);
    await served.backend.stop();
    expect(served.log.messages('error')).toEqual(['error upgrading database']);

    const backend = await openBackend({ dir: served.dir });
    onTestFinished(() => backend.stop());
    expect(await get(backend.url, '/api/mon/v1/store/upgrade')).toMatchObject({ schema: 1, run: { state: 'none' } });
    const rig = commandRig();
    await upgradeThroughBackend(backendAddress(backend.url, { env: {} }), FLAGS, rig);
    expect(rig.log.messages('info')).toEqual(['successfully upgraded database']);
  },
);
