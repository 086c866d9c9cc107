import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { Person } from '../../support/plain-conversation.ts';
import { send } from '../../support/raw-http.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;
let person: Person;

beforeAll(async () => {
  backend = await startBackend({
    settings: {
      handlers: {
        default: { type: 'pipe', command: 'cat > /dev/null', group_by: ['client.rack'], group_wait: 80_000 },
      },
      inhibitions: {
        'site-away': { source: 'check=uplink', target: 'check!=uplink' },
        'switch-down': { source: 'check=switch status=crit', target: 'check!=switch', equal: ['client.rack'] },
      },
    },
  });
  for (const [name, rack] of Object.entries({ 'sw-a': 'a', 'a-1': 'a', 'a-2': 'a', 'b-1': 'b' })) {
    await post('/clients', { name, address: 'x', rack });
  }
  await post('/results', { source: 'sw-a', name: 'switch', status: 2, output: 'down' });
  for (const source of ['a-1', 'a-2']) await post('/results', { source, name: 'disk', status: 2, output: 'full' });
  await post('/results', { source: 'b-1', name: 'disk', status: 1, output: 'full' });
  await runMonctl(['namespace', 'create', 'team-a'], { MON_BACKEND: backend.url });
});
afterAll(() => backend[Symbol.asyncDispose]());

beforeEach(async () => {
  person = await talk();
});

const talk = (namespace?: string): Promise<Person> =>
  new Person({ backend: backend.url, namespace, nowMs: Date.now() }).connected();

const post = (target: string, body: object): Promise<unknown> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

test('screen-reader mode reads groups with pending events first', async () => {
  expect(await person.type('groups')).toMatch(
    /^1: critical: client\.rack=a at default: 1 event, 1 pending, never notified, waits 22h1\dm\n2: warning: client\.rack=b at .*\nmon> $/,
  );
  expect(await person.type('g 1')).toMatch(/^1: critical: .*\nand 1 more\.\nmon> $/);
  expect(await person.type('groups all')).toContain('"groups" takes a number, for example "groups 20"');
});

test('screen-reader mode reads the largest inhibition first, and a filter reads the events of an inhibition', async () => {
  expect(await person.type('inhibitions')).toBe(
    [
      '1: switch-down inhibits 2 events: switch on sw-a; source check=switch status=crit, target check!=switch, equal client.rack',
      '2: site-away inhibits no event now; source check=uplink, target check!=uplink',
      'mon> ',
    ].join('\n'),
  );
  expect(await person.type('filter inhibited_by=switch-down')).toContain('Filtered: 2 critical; 2 of them inhibited.');
});

test('screen-reader mode says of an inhibited event which event inhibits it', async () => {
  expect(person.text).toContain('Connected: 3 critical, 1 warning; 2 of them inhibited.');
  expect(await person.type('list')).toMatch(
    /1: critical: switch on sw-a.*\n2: warning: disk on b-1.*\n3: critical, inhibited by switch on sw-a: disk on a-[12]/,
  );
  expect(await person.type('open a-1/disk')).toContain('Inhibited by switch-down: switch on sw-a.');
});

test('screen-reader mode does not list groups and inhibitions of another namespace', async () => {
  const elsewhere = await talk('team-a');
  expect(await elsewhere.type('groups')).toContain('No groups: ');
  expect(await elsewhere.type('inhibitions')).toContain('1: site-away inhibits no event now');
});
