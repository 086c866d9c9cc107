import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { MIGRATIONS, schemaAfterMigrations } from '../../../../daemon/backend/store/migrations/list.ts';
import { COMPATIBLE_V2_VERSION, COMPATIBLE_VERSION, VERSION } from '../../../../shared/schemas/version.ts';
import type { Versions } from '../../../../shared/schemas/versions.ts';
import { Agents } from '../../../conformance/agents.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { openBackend } from '../../../support/open-backend.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { tempDir } from '../../../support/temp-dir.ts';

test('GET /api/mon/v1/versions returns the running versions and the numbers of stored objects', async () => {
  const dir = await tempDir();
  const backend = await openBackend({ dir, clock: new ManualClock(), batcher: { batchLimit: 1 } });
  onTestFinished(() => backend.stop());
  const ask = (method: string, target: string, body?: unknown): Promise<Answer> =>
    send(backend.url, { method, target, body: body === undefined ? null : JSON.stringify(body) });

  const agents = new Agents(backend.url);
  for (const [name, version] of [
    ['web-1', '1.0.0'],
    ['web-2', '1.0.0'],
    ['old-1', '0.9.0'],
  ] as const) {
    await agents.publish('keepalives', { name, address: '192.0.2.1', version });
  }
  await ask('POST', '/results', { name: 'disk', output: 'full', status: 2, source: 'web-1' });
  await ask('POST', '/results', { name: 'ping', output: 'ok', status: 0, source: 'router-1' });
  await ask('POST', '/results', { name: 'load', output: 'ok', status: 0, source: 'web-1' });
  await ask('POST', '/silenced', { check: 'disk' });
  await ask('POST', '/stashes', { path: 'some/where', content: {} });

  const versions = (await ask('GET', '/api/mon/v1/versions')).body as Versions;
  expect(versions.backend).toEqual({
    version: VERSION,
    compatible: COMPATIBLE_VERSION,
    core: COMPATIBLE_V2_VERSION,
    node: process.versions.node,
  });
  expect(versions.agents).toEqual([
    { version: '1.0.0', clients: 2 },
    { version: '', clients: 1 },
    { version: '0.9.0', clients: 1 },
  ]);
  const { audit, ...records } = versions.records;
  expect(records).toEqual({ clients: 4, results: 3, events: 1, silenced: 1, stashes: 1 });
  expect(audit).toBe(((await ask('GET', '/api/mon/v1/audit')).body as unknown[]).length);
  expect(versions.store).toMatchObject({
    id: expect.stringMatching(/^[\da-f-]{36}$/),
    schema: schemaAfterMigrations(MIGRATIONS),
  });
  expect(versions.store.bytes).toBe(await bytesOf(dir));
});

async function bytesOf(dir: string): Promise<number> {
  const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
