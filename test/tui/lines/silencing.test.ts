import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { Person } from '../../support/plain-conversation.ts';
import { send } from '../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

let backend: RunningBackend;
let person: Person;

beforeAll(async () => {
  backend = await startBackend({
    settings: { 'silence-policy': { reason: 'required', 'max-expire': 28_800 } },
  });
  for (const [source, env] of Object.entries({ 'web-1': 'prod', 'web-2': 'prod', 'db-1': 'test' })) {
    await post('/clients', { name: source, address: 'x', env, subscriptions: source === 'db-1' ? ['canary'] : [] });
    await post('/results', { source, name: 'disk', status: source === 'web-2' ? 1 : 2, output: 'full' });
  }
});
afterAll(() => backend[Symbol.asyncDispose]());

beforeEach(async () => {
  person = await new Person({ backend: backend.url, nowMs: Date.now() }).connected();
});

const post = (target: string, body: object): Promise<unknown> =>
  send(backend.url, { method: 'POST', target, body: JSON.stringify(body) });

const entries = () => openApiClient({ backend: backend.url }).silencedDetails({});

test('the command to silence a search says how many events match, asks the usual questions, and can be undone', async () => {
  await person.type(
    'silence search',
    'Silence which events? Type a search, for example client~web-* env=prod check!=backup:',
  );
  await person.type('status=crit', /changes with every result.*\n.*check!=backup:/);
  const asked = await person.type('client~web-* env=prod', /for how long\? .*:/);
  expect(asked).toContain('It matches 2 events now: 1 critical, 1 warning. Later matches are included.');
  await person.type('never', /it must end within 8h.*\n.*for how long\?/);
  await person.type('2h', 'End the silence early when the first of these resolves? yes or no; press Enter for no:');
  await person.type('', 'Reason?');
  await person.type('CHG-4412', 'Silence everything matching client~web-* env=prod for 2 hours? yes or no:');
  const made = await person.type('yes');
  expect(made).toContain('1 silence created: search client~web-* env=prod, ends at ');
  expect(made).toContain('To end this silence, type "undo".');
  const text = { selector: 'client~web-* env=prod', reason: 'CHG-4412', creator: 'alice@ops' };
  expect(await entries()).toMatchObject([{ ...text, expire_on_resolve: false }]);

  expect(await person.type('open web-1/disk')).toContain('Silenced by search client~web-* env=prod.');
  await person.type('undo', 'yes or no:');
  expect(await person.type('yes')).toContain('1 change undone');
  expect(await entries()).toEqual([]);
});

test('a search may follow the silence command, and an invalid search is asked for again', async () => {
  expect(await person.type('silence search env=test', 'for how long?')).toContain(
    'It matches 1 event now: 1 critical.',
  );
  await person.type('cancel');
  const asked = await person.type('silence search status=crit', 'check!=backup:');
  expect(asked).toContain('changes with every result');
  expect(await person.type('cancel')).toContain('nothing was changed');
});

test('the command for a recurring silence asks for its parts one by one and reads its next windows', async () => {
  await person.type('silence db-1/disk', '1d, 2h from 22:30, never, recurring; press Enter for 1h:');
  await person.type(
    'recurring',
    'When does each window start? For example sat,sun 02:00; daily 6:00,18:00; or a cron schedule:',
  );
  await person.type('', /no schedule: .*\nWhen does each window start\?/);
  await person.type('sat,sun 02:00', 'Time zone? For example UTC, Europe/Berlin or +02:00; press Enter for UTC:');
  await person.type('Berlin', /"Berlin" is not a time zone.*\nTime zone\?/);
  await person.type('Europe/Berlin', 'How long is each window? For example 30m or 2h; press Enter for 1h:');
  await person.type('10h', /it must end within 8h.*\nHow long/);
  await person.type('2h', 'First day? For example 2026-12-01; press Enter for today:');
  await person.type('', 'Last day? For example 2026-12-31; press Enter for no last day:');
  expect(await person.type('', 'Reason?')).toMatch(
    /Next windows:\n((Sat|Sun) \d{4}-\d\d-\d\d 0[23]:00 to 0\d:00 \(0[01]:00Z\).*\n){5}Reason\?/,
  );
  await person.type('', /a reason is required.*\nReason\?/);
  await person.type('backup', 'Silence disk on db-1, recurring: sat,sun 02:00 Europe/Berlin, 2h each? yes or no:');
  expect(await person.type('yes')).toContain('1 silence created: db-1 / disk, recurring.');
  const recurrence = { schedule: 'sat,sun 02:00', zone: 'Europe/Berlin', duration: 7200 };
  expect(await entries()).toMatchObject([{ id: 'client:db-1:disk', reason: 'backup', recurrence }]);
  await person.type('silence db-1/disk', 'for how long?');
  expect(await person.type('1h')).toContain(
    'db-1 / disk recurs (sat,sun 02:00 Europe/Berlin): end it first, or silence by search.',
  );
  await person.type('undo', 'yes or no:');
  await person.type('yes');
});

test('overlapping windows of a recurring silence are rejected at the question for their duration', async () => {
  await person.type('silence search env=test', 'for how long?');
  await person.type('recurring', 'When does each window start?');
  await person.type('*/30 * * * *', 'Time zone?');
  await person.type('', 'How long is each window?');
  await person.type('', /would overlap.*\nHow long is each window\?/);
  await person.type('10m', 'First day?');
  await person.type('2026-13-01', /is not a day.*\nFirst day\?/);
  expect(await person.type('cancel')).toContain('Canceled; nothing was changed.');
  expect(await entries()).toEqual([]);
});

test('the unsilence command says that a silence is recurring before it ends the silence', async () => {
  const api = openApiClient({ backend: backend.url });
  const before = new Date(Date.now() - 5 * 60_000).toISOString().slice(11, 16);
  const recurrence = { schedule: `daily ${before}`, zone: 'UTC', duration: 3600 };
  await api.silence({ selector: 'env=test', reason: 'nights', creator: 'bob', recurrence });
  await vi.waitFor(async () => expect(await person.type('open db-1/disk')).toContain('Silenced by search env=test.'));
  expect(person.text).toContain(`search env=test recurs: daily ${before} UTC, 1h each; this window ends in 5`);
  await vi.waitFor(async () => expect(await person.type('list')).toContain('silenced, critical: disk on db-1'));
  await person.type(
    'unsilence db-1/disk',
    `End search env=test (recurring, daily ${before} UTC, 1h each), for everything else it covers too? yes or no:`,
  );
  expect(await person.type('yes')).toContain('1 silence ended');
  expect(await entries()).toEqual([]);
});

test('a silence that starts later is read with its start', async () => {
  const hours = new Date(Date.now() + 2 * 3_600_000).toISOString();
  await person.type('silence db-1/disk', 'for how long?');
  await person.type('1h from soon', /"soon" is not a time: write 22:00, .*\nSilence disk on db-1 for how long\?/);
  await person.type('1h from +2h', 'End the silence early when the check resolves?');
  // A planned silence does not end before its start because the check is OK.
  expect(person.text).toContain('when the check resolves? yes or no; press Enter for no:');
  await person.type('', 'Reason?');
  const sure = await person.type('CHG-1', 'yes or no:');
  expect(sure).toContain(`Silence disk on db-1 from ${hours.slice(0, 10)} ${hours.slice(11, 14)}`);
  expect(sure).toMatch(/Z for 1 hour\? yes or no:/);
  await person.type('yes');
  const [entry, ...others] = await entries();
  expect(others).toEqual([]);
  const begin = Math.floor(Date.parse(hours) / 1000);
  expect(Math.abs((entry?.begin ?? 0) - begin)).toBeLessThan(60);
  expect((entry?.expire_at ?? 0) - (entry?.begin ?? 0)).toBe(3600);
  expect(await person.type('silences')).toMatch(
    /^1: pending: db-1 \/ disk, by alice@ops, from \S+ \S+Z for 1 hour: CHG-1\nmon> $/,
  );
  await person.type('undo', 'yes or no:');
  await person.type('yes');
});

test.each([
  [
    'client web-1',
    'all checks of web-1',
    'web-1 / all checks',
    'It matches 1 event now: 1 critical.',
    { subscription: 'client:web-1', check: null },
  ],
  [
    'check disk',
    'disk on all clients',
    'check:disk',
    'It matches 3 events now: 2 critical, 1 warning.',
    { subscription: null, check: 'disk' },
  ],
  [
    'subscription canary',
    'subscription canary',
    'subscription:canary',
    'It matches 1 event now: 1 critical.',
    { subscription: 'canary', check: null },
  ],
])(
  'the command silence %s covers %s, and the silence is listed and ended by its number',
  async (words, name, target, matches, parts) => {
    expect(await person.type('silences end 1')).toContain('No silences were listed yet: type "silences".');
    const asked = await person.type(`silence ${words}`, `Silence ${name} for how long?`);
    expect(asked).toContain(matches);
    await person.type('2h', 'End the silence early when the first of these resolves? yes or no; press Enter for no:');
    await person.type('', 'Reason?');
    await person.type('CHG-2', `Silence ${name} for 2 hours? yes or no:`);
    expect(await person.type('yes')).toContain('1 silence created');
    expect(await entries()).toMatchObject([{ ...parts, reason: 'CHG-2' }]);
    const listed = await person.type('silences');
    expect(listed).toContain(`1: active: ${target}, by alice@ops, for `);
    expect(await person.type('silences end 2')).toContain('takes the number of a listed silence');
    await person.type('silences end 1', 'for everything it covers? yes or no:');
    expect(await person.type('yes')).toContain('1 silence ended');
    expect(await entries()).toEqual([]);
    expect(await person.type('silences')).toContain('No silences.');
  },
);

test.each(['nowhere', 'CANARY'])(
  'a silence of %s, a subscription that no client has, matches no event',
  async (name) => {
    const asked = await person.type(`silence subscription ${name}`, /for how long\?/);
    expect(asked).toContain('It matches 0 events now. Later matches are included.');
    await person.type('cancel');
  },
);

test('an invalid subscription name is rejected before anything else is requested', async () => {
  expect(await person.type('silence subscription a"b\\')).toContain(
    'subscription: must be word characters, dots, hyphens and colons only',
  );
});

test('the words client and check without a name refer to the event that was read last', async () => {
  expect(await person.type('silence check')).toContain('Type a name, for example "silence check disk"');
  await person.type('open web-1/disk');
  await person.type('silence client', 'Silence all checks of web-1 for how long?');
  await person.type('cancel');
  await person.type('silence check', 'Silence disk on all clients for how long?');
  await person.type('cancel');
  expect(await person.type('silence subscription')).toContain('Type a name, for example "silence subscription canary"');
});

test('screen-reader mode asks for a confirmation of a silence that matches 50 events', async () => {
  for (let at = 1; at <= 50; at += 1) {
    await post('/results', { source: `rack-${String(at)}`, name: 'power', status: 2, output: 'down' });
  }
  const asked = await person.type('silence search client~rack-*', 'for how long?');
  expect(asked).toContain('It matches 50 events now: 50 critical.');
  expect(asked).toContain('This silence would cover 50 events: is the search right?');
  await person.type('cancel');
  expect(await person.type('silence check power', 'for how long?')).toContain(
    'This silence would cover 50 events: is that right?',
  );
  await person.type('cancel');
});
