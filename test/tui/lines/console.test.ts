import { describe, expect, test, vi } from 'vitest';
import { ANNOUNCE_EVERY_MS } from '../../../tui/lines/console.ts';
import { byKey } from '../../support/console-rig.ts';
import { anEventRow } from '../../support/feed-rows.ts';
import { FEED_HELLO } from '../../support/feed-server.ts';
import { converse, type Conversation } from '../../support/plain-conversation.ts';

test('screen-reader mode starts with the number of events and then waits for a command', async () => {
  const { text } = await converse();
  expect(text).toMatch(
    /^mon in screen-reader mode\. Connecting to http:\/\/127\.0\.0\.1:\d+\. Type "help" to list all commands\.\nmon> \n/,
  );
  expect(text).toMatch(/\nConnected: 6 critical, 4 warning, 1 unknown, 1 silenced\.\nmon> $/);
});

test('screen-reader mode shows the namespace of its context', async () => {
  const { server } = await converse({ namespace: 'team-a' });
  expect(await (await server.connection(0)).subscribed()).toMatchObject({ namespace: 'team-a' });
});

describe('the reading of events in screen-reader mode', () => {
  test('the commands next and previous step through the events, and open reads all details of an event', async () => {
    const person = await converse();
    expect(await person.type('next')).toContain('1 of 12: critical: postgres-repl on db-014.eu-west-1, 3 minutes: lag');
    expect(await person.type('n')).toContain('2 of 12: critical: http-frontend on web-003');
    expect(await person.type(':prev')).toContain('1 of 12: ');
    expect(await person.type('previous')).toContain('That was the first event.');
    const opened = await person.type('open');
    expect(opened).toContain('41 occurrences in a row');
    expect(opened).toContain('Output:\nlag 184 s\nreplica=db-015\n');
  });

  test('the command open of screen-reader mode reads notifications, related events and operator actions', async () => {
    const person = await converse();
    const opened = await person.type('open db-014.eu-west-1/postgres-repl');
    expect(opened).toContain(
      '\nNotified: audit 3m ago; failed: pagerduty 2m ago (5 tries: the connection was refused);',
    );
    expect(opened).toContain('next at the 60th occurrence (filter occurrences).\n');
    expect(opened).toContain(
      '\nRelated: 1 event of the check postgres-repl; 3 events that began within 2 minutes of it.\n',
    );
    expect(opened).toContain('\n1 hour ago alice@ops requested a run.\n');
  });

  test('a command of screen-reader mode may name an event or find it by words', async () => {
    const person = await converse();
    expect(await person.type('open db-002.eu-west-1/cert-expiry')).toContain('cert-expiry on db-002');
    expect(await person.type('open status=unknown')).toContain('bgp-sessions on gw-004');
    expect(await person.type('open nowhere')).toContain('no event matches');
  });

  test('a filter of screen-reader mode applies to reading and to announcements', async () => {
    const person = await converse();
    expect(await person.type('filter http')).toContain('Filtered: 3 critical.');
    expect(await person.type('list')).toMatch(/1: critical: http.*\n2: .*\n3: .*\nmon> $/);
    await person.change(byKey([anEventRow({ client: 'other', check: 'disk' })]));
    person.clock.advance(10_000);
    expect(person.text).not.toContain('disk on other');
    expect(await person.type('filter http(')).toMatch(/At character \d+: /);
    expect(await person.type('filter off')).toContain('No filter: 7 critical');
  });

  test('the command list by reads similar events as one item, and the largest first', async () => {
    const person = await converse();
    const byCheck = await person.type('list by check 2');
    expect(byCheck).toContain('1: http-frontend, 3 events: 3 critical. First critical: http-frontend on web-003');
    expect(byCheck).toContain('and 6 more.');
    expect(await person.type('list by output 1')).toContain('1: same output, 3 events: 3 critical. First critical: ');
    expect(await person.type('list by rack')).toContain('Type one of: list by check, list by output, list by cause');
  });

  test('an unknown command of screen-reader mode is answered with the nearest known command', async () => {
    const person = await converse();
    expect(await person.type('nxet')).toContain('Did you mean next?');
    expect(await person.type('s')).toContain('s is ambiguous: silence or schedules or status');
  });
});

describe('the announcements of screen-reader mode', () => {
  test('screen-reader mode announces at most one line in two seconds, however many events change', async () => {
    const person = await converse();
    person.clock.advance(ANNOUNCE_EVERY_MS);
    const from = person.text.length;
    for (let round = 0; round < 12; round += 1) {
      const rows = Array.from({ length: 20 }, (_, index) =>
        anEventRow({ client: `new-${String(round)}-${String(index)}`, check: 'http', since: FEED_HELLO.time / 1000 }),
      );
      await person.change(byKey(rows));
      person.clock.advance(500);
    }
    const announced = person
      .since(from)
      .split('\n')
      .filter((line) => line.startsWith('critical'));
    expect(announced).toHaveLength(3);
    expect(announced.at(-1)).toMatch(/; 79 more critical on http$/);
  });

  test('screen-reader mode makes no announcement while a question is open, and announcements can be turned off', async () => {
    const person = await converse();
    await person.type('next');
    await person.type('silence', 'for how long?');
    await person.change({ 'web-020.eu-west-1/disk-root': null });
    person.clock.advance(5000);
    expect(person.text).not.toContain('resolved: ');
    await person.type('cancel');
    person.clock.advance(5000);
    expect(person.text).toContain('\nresolved: disk-root on web-020.eu-west-1\nmon> ');

    await person.type('quiet');
    await person.change({ 'web-021.eu-west-1/disk-root': null });
    person.clock.advance(5000);
    expect(person.text).not.toContain('on web-021');
  });

  test('screen-reader mode announces a lost and a restored connection', async () => {
    const person = await converse();
    person.server.refuse(503);
    (await person.server.connection(0)).cut();
    await vi.waitFor(() => {
      person.clock.advance(250);
      expect(person.text).toContain('Not connected: ');
    });
    person.server.refuse(undefined);
    await vi.waitFor(() => {
      person.clock.advance(250);
      expect(person.text).toContain('Connected again.');
    });
    expect(person.text.split('Not connected: ')).toHaveLength(2);
  });

  test('the announcements of screen-reader mode never contain control sequences of a check output', async () => {
    const person = await converse();
    await person.change(byKey([anEventRow({ client: 'a', check: 'b', output: '\u001B[2J\u0007\u009Bpwn\r\nx' })]));
    person.clock.advance(5000);
    await person.type('list 100');
    expect(person.text).toContain('pwn');
    expect(person.text).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F]/);
  });
});

describe('the changes in screen-reader mode', () => {
  test('the silence command of screen-reader mode asks line by line, validates each input, and can be undone', async () => {
    const person = await converse();
    await person.type('next');
    await person.type('silence', 'for how long?');
    await person.type('soon', /write a duration such as 45s.*\n.*for how long\?/);
    await person.type('2h', 'when the check resolves?');
    await person.type('', 'Reason?');
    await person.type('', /a reason is required.*\nReason\?/);
    await person.type(
      'planned failover',
      'Silence postgres-repl on db-014.eu-west-1 for 2 hours, at most until it resolves? yes or no:',
    );
    await person.type('', 'answer yes or no');
    expect(person.bulks).toEqual([]);
    expect(await person.type('yes')).toContain('1 silence created');
    expect(person.bulks).toEqual([
      {
        operations: [
          {
            op: 'silence',
            subscription: 'client:db-014.eu-west-1',
            check: 'postgres-repl',
            expire: 7200,
            expire_on_resolve: true,
            reason: 'planned failover',
            creator: 'alice@ops',
          },
        ],
        creator: 'alice@ops',
      },
    ]);
    await person.type('undo', 'ends the silence db-014.eu-west-1 / postgres-repl? yes or no:');
    expect(await person.type('yes')).toContain('1 change undone');
    expect(person.bulks[1]).toMatchObject({ undo: true, operations: [{ op: 'clear', if_timestamp: 1 }] });
    expect(await person.type('undo')).toContain('Nothing to undo.');
  });

  test('the resolve command of screen-reader mode names its event and says that it cannot be undone', async () => {
    const person = await converse();
    await person.type('resolve cert', 'Resolve cert-expiry on db-002.eu-west-1? This cannot be undone. yes or no:');
    expect(await person.type('no')).toContain('Nothing was changed.');
    expect(person.bulks).toEqual([]);
    await person.type('resolve', 'yes or no:');
    await person.type('yes');
    expect(person.bulks).toMatchObject([
      { operations: [{ op: 'resolve', client: 'db-002.eu-west-1', check: 'cert-expiry' }] },
    ]);
  });

  test('screen-reader mode changes nothing with --read-only', async () => {
    const person = await converse({ readOnly: true });
    await person.type('next');
    for (const verb of ['silence', 'resolve', 'acknowledge', 'unsilence', 'undo']) {
      expect(await person.type(verb)).toContain('started with --read-only');
    }
  });

  test('screen-reader mode reports a failed request and accepts further commands', async () => {
    const person = await converse();
    await person.type('next');
    await person.server.close();
    await person.type('open', 'Failed: ');
    expect(await person.type('help')).toContain('quit: leave.');
  });
});

test.each([
  { name: 'the command quit', end: (person: Conversation) => person.running.input('quit') },
  { name: 'the end of the input', end: (person: Conversation) => person.running.end() },
])('$name ends screen-reader mode', async ({ end }) => {
  const person = await converse();
  end(person);
  await person.running.done;
  expect(person.clock.pending).toBe(0);
});
