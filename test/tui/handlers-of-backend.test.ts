import { expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient } from '../../shared/client/api-client.ts';
import { openRig } from '../support/console-rig.ts';
import { startFeedServer } from '../support/feed-server.ts';
import { startBackend } from '../support/running-backend.ts';

const SETTINGS = {
  handlers: {
    pager: { type: 'pipe', command: 'echo no answer; exit 3' },
    audit: { type: 'pipe', command: 'cat >/dev/null' },
    night: { type: 'pipe', command: 'cat >/dev/null', severities: ['warning'] },
  },
};

test('the console shows why a notification was not delivered, lists the dead letter and retries it', async () => {
  const backend = await startBackend({ settings: SETTINGS });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const api = openApiClient({ backend: backend.url });
  await api.submitResult({
    name: 'disk',
    source: 'web-1',
    output: 'full',
    status: 2,
    handlers: ['pager', 'audit', 'night'],
  });
  await vi.waitFor(async () => expect(await api.deadLetters()).toHaveLength(1));
  const scripted = await startFeedServer();
  const rig = await openRig({ server: { ...scripted, url: backend.url } });
  await rig.shows('LIVE', 'web-1');

  rig.type('W');
  await rig.shows('handlers › web-1 / disk', 'pager, audit handle it, night does not');
  await rig.shows(
    /last run +failed .* ago: it exited with 3/,
    /last run +delivered /,
    'its severity is critical, and the handler accepts warning',
  );
  rig.escape();

  rig.type('1');
  await rig.pass(400);
  await rig.shows(/pager +0 +0 +1 +1/);
  rig.type(':dead-letters\r');
  await rig.shows('1 of 1 dead letter shown', 'web-1 / disk');
  rig.type('\r');
  await rig.shows('"name": "disk"');
  rig.escape();

  const [before] = await api.deadLetters();
  rig.type('Ty');
  await rig.shows('1 dead letter retried: pager for web-1/disk');
  await vi.waitFor(async () => {
    const [after] = await api.deadLetters();
    expect(after?.id).toBe(before?.id);
  });
  await rig.pass(2000);
  await rig.shows('1 of 1 dead letter shown');
  rig.type('Dy');
  await rig.shows('1 dead letter dropped: pager for web-1/disk');
  expect(await api.deadLetters()).toEqual([]);
  expect(await api.audit()).toMatchObject([
    { action: 'dead-letter.drop', target: String(before?.id), before: { handler: 'pager', client: 'web-1' } },
    { action: 'dead-letter.retry', target: String(before?.id), before: { handler: 'pager', client: 'web-1' } },
  ]);
});
