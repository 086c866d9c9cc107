import { expect, test } from 'vitest';
import type { HandlerVerdict } from '../../../../../shared/schemas/explain.ts';
import type { Event } from '../../../../../shared/schemas/event.ts';
import { send } from '../../../../support/raw-http.ts';
import { startBackend } from '../../../../support/running-backend.ts';

const PIPE = { type: 'pipe', command: 'cat > /dev/null' };
const HANDLERS = {
  chat: PIPE,
  ada: PIPE,
  page: {
    type: 'escalation',
    steps: [{ notify: ['chat'] }, { after: '10m', notify: ['ada'], repeat: '15m' }],
  },
};
const RESULT = { source: 'web-1', name: 'disk', status: 2, output: 'full', handlers: ['page'] };

/** Returns the handlers with the reasons of their verdicts, from a response of `explain` or `simulate`. */
function reasons(response: unknown): string[] {
  return (response as { readonly handlers: HandlerVerdict[] }).handlers.map(
    ({ handler, reason }) => `${handler}: ${reason}`,
  );
}

test('simulate lists the steps of an escalation, and explain, the event and its row show its progress', async () => {
  await using backend = await startBackend({ settings: { handlers: HANDLERS } });
  const call = async (method: string, target: string, body: object | null = null): Promise<unknown> =>
    (await send(backend.url, { method, target, body: body && JSON.stringify(body) })).body;
  const plan = 'it starts: step 1 at once (chat), step 2 after 10m (ada), repeated every 15m up to 20 times';
  expect(reasons(await call('POST', '/api/mon/v1/simulate', RESULT))).toEqual([
    `page: ${plan}`,
    'chat: all conditions are met',
  ]);
  await call('POST', '/results', RESULT);
  const progress = /^page: step 1 of 2 was notified \w+ ago \(chat\); step 2 in (?:10m|9m\w+) \(ada\)$/;
  expect(reasons(await call('GET', '/api/mon/v1/events/web-1/disk/explain'))).toEqual([
    expect.stringMatching(progress),
  ]);

  const event = (await call('GET', '/api/mon/v1/events/web-1/disk')) as Event;
  const [{ at = 0 } = {}] = event.escalations ?? [];
  const escalations = [{ handler: 'page', step: 1, of: 2, at, due: at + 600 }];
  expect(event).toMatchObject({ escalations });
  expect(await call('GET', '/api/mon/v1/events')).toMatchObject([{ escalations }]);
});

test('a test of an escalation names the handlers to test instead', async () => {
  await using backend = await startBackend({ settings: { handlers: HANDLERS } });
  const answer = await send(backend.url, { method: 'POST', target: '/api/mon/v1/handlers/page/test', body: '{}' });
  expect(answer.body).toMatchObject({ error: 'page is an escalation: test the handlers of its steps: chat, ada' });
});
