import { expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../../../../daemon/backend/compose.ts';
import type { EventRow } from '../../../../../shared/schemas/feed.ts';
import { handlerSchema } from '../../../../../shared/schemas/handler.ts';
import { asking } from '../../../../support/asking.ts';
import { openBackend } from '../../../../support/open-backend.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const MON = '/api/mon/v1';
const RULE = { source: 'check=switch status=crit', target: 'check=disk', equal: ['client.rack'] };

async function start(): Promise<Backend> {
  const handlers = new Map([['default', handlerSchema.parse({ type: 'pipe', command: 'true' })]]);
  const definitions = { handlers, inhibitions: new Map([['switch', RULE]]) };
  const backend = await openBackend({ dir: await tempDir(), batcher: { batchLimit: 1 }, definitions });
  onTestFinished(() => backend.stop());
  return backend;
}

test('a source that is restored from a dump inhibits the same events as before, without a new result', async () => {
  const ask = asking((await start()).url);
  for (const name of ['sw-a', 'a-1']) await ask('POST', '/clients', { name, address: 'x', rack: 'a' });
  await ask('POST', '/results', { source: 'sw-a', name: 'switch', status: 2, output: 'down' });
  await ask('POST', '/results', { source: 'a-1', name: 'disk', status: 2, output: 'full' });
  const objects: unknown[] = [];
  for (const type of ['Entity', 'Event']) {
    objects.push(...((await ask('GET', `${MON}/dump/${type}`)).body as { objects: unknown[] }).objects);
  }
  const again = asking((await start()).url);
  expect((await again('POST', `${MON}/restore`, { objects })).status).toBe(200);
  await again('POST', '/results', { source: 'a-1', name: 'disk', status: 2, output: 'full' });
  const rows = (await again('GET', `${MON}/events?q=check=disk`)).body as readonly EventRow[];
  expect(rows).toMatchObject([{ client: 'a-1', inhibited_by: { rule: 'switch', client: 'sw-a', check: 'switch' } }]);
});
