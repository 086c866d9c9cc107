import { expect, test } from 'vitest';
import { eventParts } from '../../../../tui/screens/detail/lines.ts';
import { anEvent } from '../../../support/an-event.ts';

test.each([
  { title: 'an agent', client: { address: '192.0.2.7', version: '1.0.0' }, shown: 'web-1 at 192.0.2.7, agent 1.0.0' },
  {
    title: 'a client that was created by the API',
    client: { address: '192.0.2.7', version: '1.9.0', keepalives: false },
    shown: 'web-1 at 192.0.2.7, created by the API, no agent',
  },
  {
    title: 'a client that was created by a result',
    client: { address: 'unknown', version: '1.9.0', keepalives: false, type: 'proxy' },
    shown: 'web-1, proxy client, no agent',
  },
])('the detail of an event describes $title as: $shown', ({ client, shown }) => {
  const about = { name: 'web-1', subscriptions: ['client:web-1'], timestamp: 0, ...client };
  const event = { ...anEvent(), client: about };
  const lines = eventParts(event, 100, false).map((line) => line.map(({ text }) => text).join(''));
  expect(lines.find((line) => line.includes('client'))?.trimEnd()).toBe(` client   ${shown}`);
});
