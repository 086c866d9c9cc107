import { describe, expect, test } from 'vitest';
import { messageOf, problemKey } from '../../../../shared/domain/message/message.ts';
import { anEvent } from '../../../support/a-job.ts';

/** Twenty-two minutes after the event of `anEvent` began. */
const NOW_MS = (1_767_225_600 + 22 * 60) * 1000;

const sentMessage = (about: Parameters<typeof anEvent>[0] = {}, namespace = 'default') =>
  messageOf({ namespace, event: anEvent(about), nowMs: NOW_MS });

/** Returns the output in the title of a message, and the output that the title does not show. */
function outputParts(output: string): readonly string[] {
  const { title, remainingOutput } = sentMessage({ check: { output } });
  return [title.slice('CRITICAL web-1/disk'.length), remainingOutput];
}

describe('the message of an event', () => {
  test('the message of a problem has a title, the output and the facts of the event', () => {
    expect(sentMessage({ occurrences: 3 })).toEqual({
      kind: 'problem',
      severity: 'critical',
      namespace: 'default',
      client: 'web-1',
      check: 'disk',
      title: 'CRITICAL web-1/disk: CRITICAL: / is full',
      output: 'CRITICAL: / is full',
      remainingOutput: '',
      facts: [
        ['Status', 'critical (before: ok)'],
        ['Since', '22 minutes ago (2026-01-01 00:00:00Z)'],
        ['Occurrences', '3'],
        ['Subscription', 'web'],
      ],
      eventUrl: undefined,
      links: [],
      command: 'mon --open web-1/disk',
      time: '2026-01-01T00:00:00.000Z',
    });
  });

  test.each([
    [{ action: 'resolve', check: { status: 0, output: 'ok' } }, 'resolved', 'RESOLVED web-1/disk: ok'],
    // A resolved event is shown as resolved, whatever the status of its last result.
    [{ action: 'resolve', check: { status: 1, output: '' } }, 'resolved', 'RESOLVED web-1/disk'],
    [{ check: { status: 0, output: 'fine' } }, 'resolved', 'OK web-1/disk: fine'],
    [{ action: 'flapping', check: { status: 1, output: 'x\ny' } }, 'problem', 'WARNING web-1/disk: x'],
    [{ check: { status: 127 } }, 'problem', 'UNKNOWN web-1/disk: CRITICAL: / is full'],
    [{ silenced: true, silenced_by: ['web:*'] }, 'acknowledged', 'CRITICAL web-1/disk: CRITICAL: / is full'],
    [{ silenced: true, action: 'resolve', check: { status: 0, output: '' } }, 'resolved', 'RESOLVED web-1/disk'],
  ] as const)('the message of the event %j has the kind %s and the title: %s', (about, kind, title) => {
    expect(sentMessage(about)).toMatchObject({ kind, title });
  });

  test('the message of an event also lists its silences, namespace and runbook', () => {
    const runbook = 'https://wiki.example.com/disk';
    const { facts, links } = sentMessage({ check: { runbook }, silenced_by: ['web:*', 'x:y'] }, 'ops');
    expect(facts.slice(4)).toEqual([
      ['Silenced by', 'web:*, x:y'],
      ['Namespace', 'ops'],
    ]);
    expect(links).toEqual([{ text: 'Runbook', href: runbook }]);
    expect(sentMessage({ check: { runbook: 'see the wiki' } }).facts.at(-1)).toEqual(['Runbook', 'see the wiki']);
  });

  test('the message of an event shows the output once: the first line in the title, and the other lines', () => {
    const long = 'x'.repeat(300);
    expect(outputParts('full | /=96%;80;90\nlargest: wal | 41\n')).toEqual([': full', 'largest: wal | 41']);
    expect(outputParts('\nsecond')).toEqual(['', '\nsecond']);
    expect(outputParts(long)).toEqual([`: ${'x'.repeat(199)}…`, long]);
  });

  test('the message of an event names who has acknowledged it, or why the acknowledgement ended', () => {
    const acknowledged = { by: 'ada', at: 1_767_226_000, note: 'on it', until: 1_767_232_800 };
    const fact = (about: Parameters<typeof anEvent>[0]) =>
      sentMessage(about).facts.find(([name]) => name === 'Acknowledged')?.[1];
    expect(fact({ acknowledged })).toBe('by ada until 2026-01-01 02:00:00Z (on it)');
    expect(fact({ acknowledged: { by: 'ada', at: 1_767_226_000 }, action: 'resolve' })).toBe('by ada');
    expect(fact({ acknowledgement_expired: true })).toBe('no longer: the acknowledgement has expired');
    expect(fact({ acknowledgement_ended: true })).toBe('no longer: the status got worse');
    expect(sentMessage({ acknowledged, acknowledgement_started: true })).toMatchObject({
      kind: 'acknowledged',
      title: 'ACKNOWLEDGED web-1/disk by ada: on it',
      remainingOutput: '',
    });
  });

  test('the message of a resolved event has no link, no command and no time since which it lasts', () => {
    const resolved = messageOf({
      namespace: 'default',
      event: anEvent({ action: 'resolve', check: { status: 0, history: ['1', '2', '0'] } }),
      publicUrl: 'https://mon.example.com',
      nowMs: NOW_MS,
    });
    expect(resolved).toMatchObject({
      links: [],
      facts: [['Status', 'ok (before: critical)'], ['Occurrences', '1'], {}],
    });
    expect([resolved.eventUrl, resolved.command]).toEqual([undefined, undefined]);
  });

  test.each([
    ['default', 'web-1', 'disk', 'https://mon.example.com/api/mon/v1/events/web-1/disk', '--open web-1/disk'],
    ['default', 'a b', 'c', 'https://mon.example.com/api/mon/v1/events/a%20b/c', "--open 'a b/c'"],
    ['ops', 'web-1', 'x', 'https://mon.example.com/api/mon/v1/events/web-1/x?namespace=ops', '--namespace ops'],
  ])('the message of the event %s/%s/%s links to %s and has a command', (namespace, client, check, href, words) => {
    const { eventUrl, links, command } = messageOf({
      namespace,
      event: anEvent({ client: { name: client }, check: { name: check } }),
      publicUrl: 'https://mon.example.com/',
      nowMs: NOW_MS,
    });
    expect([eventUrl, links]).toEqual([href, [{ text: 'Event', href }]]);
    expect(command).toContain(words);
    expect(command).toContain('--backend https://mon.example.com/');
  });

  test('the message of an event names the escalation and its step', () => {
    expect(sentMessage({ escalation: { handler: 'page', step: 2, of: 3 } }).facts.at(-1)).toEqual([
      'Escalation',
      'page, step 2 of 3',
    ]);
  });

  test('the message of an event shows the attributes in details', () => {
    const event = anEvent({ client: { datacenter: 'fra' }, check: { team: 'storage' } });
    const details = ['client.datacenter', 'check.team', 'client.none'];
    expect(messageOf({ namespace: 'default', event, details, nowMs: NOW_MS }).facts.slice(4)).toEqual([
      ['client.datacenter', 'fra'],
      ['check.team', 'storage'],
    ]);
  });

  test('the message of an event whose time is out of range has no fact "Since"', () => {
    const { facts } = sentMessage({ last_state_change: 1e300 });
    expect(facts.map(([name]) => name)).not.toContain('Since');
  });
});

describe('the deduplication key of a problem', () => {
  test('the deduplication key of a problem is its client and check, in the create and in the resolve', () => {
    expect(problemKey(sentMessage(), 255)).toBe('web-1/disk');
    expect(problemKey(sentMessage({ action: 'resolve', id: 'other' }), 255)).toBe('web-1/disk');
    expect(problemKey(sentMessage({}, 'ops'), 255)).toBe('ops/web-1/disk');
  });

  test('the deduplication key of a problem has a bounded length and is unique even for long names', () => {
    const keys = ['a', 'b'].map((end) =>
      problemKey(sentMessage({ client: { name: `${'x'.repeat(300)}${end}` } }), 255),
    );
    expect(keys.map(({ length }) => length)).toEqual([255, 255]);
    expect(new Set(keys).size).toBe(2);
  });
});
