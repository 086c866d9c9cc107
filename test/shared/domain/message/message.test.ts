import { describe, expect, test } from 'vitest';
import { messageOf, problemKey } from '../../../../shared/domain/message/message.ts';
import { anEvent } from '../../../support/a-job.ts';

const told = (about: Parameters<typeof anEvent>[0] = {}, namespace = 'default') =>
  messageOf({ namespace, event: anEvent(about) });

describe('the message of an event', () => {
  test('the message of a problem has a title, the output and the facts of the event', () => {
    expect(told({ occurrences: 3 })).toEqual({
      kind: 'problem',
      severity: 'critical',
      namespace: 'default',
      client: 'web-1',
      check: 'disk',
      title: 'CRITICAL web-1/disk: CRITICAL: / is full',
      output: 'CRITICAL: / is full',
      facts: [
        ['Client', 'web-1'],
        ['Check', 'disk'],
        ['Status', 'critical'],
        ['Occurrences', '3'],
        ['Since', '2026-01-01T00:00:00.000Z'],
      ],
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
    expect(told(about)).toMatchObject({ kind, title });
  });

  test('the message of an event also lists its silences, namespace and runbook', () => {
    const runbook = 'https://wiki.example.com/disk';
    expect(told({ check: { runbook }, silenced_by: ['web:*', 'x:y'] }, 'ops').facts.slice(5)).toEqual([
      ['Silenced by', 'web:*, x:y'],
      ['Namespace', 'ops'],
      ['Runbook', runbook],
    ]);
  });

  test('the message of an event whose time is out of range has no fact "Since"', () => {
    const { facts } = told({ last_state_change: 1e300 });
    expect(facts.map(([name]) => name)).not.toContain('Since');
  });
});

describe('the deduplication key of a problem', () => {
  test('the deduplication key of a problem is its client and check, in the create and in the resolve', () => {
    expect(problemKey(told(), 255)).toBe('web-1/disk');
    expect(problemKey(told({ action: 'resolve', id: 'other' }), 255)).toBe('web-1/disk');
    expect(problemKey(told({}, 'ops'), 255)).toBe('ops/web-1/disk');
  });

  test('the deduplication key of a problem has a bounded length and is unique even for long names', () => {
    const keys = ['a', 'b'].map((end) => problemKey(told({ client: { name: `${'x'.repeat(300)}${end}` } }), 255));
    expect(keys.map(({ length }) => length)).toEqual([255, 255]);
    expect(new Set(keys).size).toBe(2);
  });
});
