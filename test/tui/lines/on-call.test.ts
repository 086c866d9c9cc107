import { afterAll, beforeAll, expect, test } from 'vitest';
import { Person } from '../../support/plain-conversation.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startBackend({
    settings: {
      people: { ada: { notify: ['mail'] } },
      schedules: {
        database: { layers: [{ people: ['ada'] }] },
        far: { layers: [{ people: ['ada'], starting: '2199-01-01' }] },
      },
    },
  });
});
afterAll(() => backend[Symbol.asyncDispose]());

test('screen-reader mode reads who is on call for each schedule', async () => {
  const person = await new Person({ backend: backend.url, nowMs: Date.now() }).connected();
  expect(await person.type('schedules')).toBe('1: database: ada is on call\n2: far: nobody is on call\nmon> ');
});
