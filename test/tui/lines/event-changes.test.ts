import { describe, expect, test } from 'vitest';
import { EventChanges } from '../../../tui/lines/event-changes.ts';
import { announcementText, countsWords, durationWords, eventSentence } from '../../../tui/lines/sentences.ts';
import { byKey } from '../../support/console-rig.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);
const NOW = NOW_MS / 1000;

const row = (client: string, check: string, status = 2, silencedBy: readonly string[] = []) =>
  anEventRow({ client, check, status, since: NOW, last: NOW, output: '', silenced_by: silencedBy });

function changesAfter(...steps: readonly (readonly ReturnType<typeof row>[])[]): EventChanges {
  const changes = new EventChanges();
  for (const rows of steps) {
    changes.apply({ events: byKey(rows) }, { replace: true });
    changes.take();
  }
  return changes;
}

test('screen-reader mode announces a new status of an event, but no new output or count', () => {
  const changes = changesAfter([row('a', 'disk', 1), row('b', 'disk', 1)]);
  changes.apply(
    { events: byKey([{ ...row('a', 'disk', 1), occurrences: 9 }, row('b', 'disk', 2)]) },
    { replace: false },
  );
  expect(changes.take().map(({ kind, row: { client } }) => `${kind} ${client}`)).toEqual(['critical b']);
});

test('screen-reader mode does not announce an event that opened and resolved between two announcements', () => {
  const changes = changesAfter([row('a', 'disk')]);
  changes.apply({ events: { 'a/disk': null, ...byKey([row('b', 'disk')]) } }, { replace: false });
  changes.apply({ events: { 'b/disk': null, ...byKey([row('a', 'disk')]) } }, { replace: false });
  expect(changes.pending).toBe(2);
  expect(changes.take()).toEqual([]);
});

test('screen-reader mode announces only the differences of a new snapshot, including missing events', () => {
  const changes = changesAfter([row('a', 'disk'), row('b', 'disk'), row('c', 'disk')]);
  changes.apply({ events: byKey([row('a', 'disk')]) }, { replace: true });
  changes.apply({ events: byKey([row('c', 'disk', 2, ['client:c'])]) }, { replace: false });
  expect(changes.take().map(({ kind, row: { client } }) => `${kind} ${client}`)).toEqual(['resolved b', 'silenced c']);
});

test.each([
  [0, 'less than a minute'],
  [59, 'less than a minute'],
  [60, '1 minute'],
  [3 * 60, '3 minutes'],
  [3600, '1 hour'],
  [49 * 3600, '2 days'],
])('screen-reader mode reads a duration of %i seconds as "%s"', (seconds, words) => {
  expect(durationWords(seconds)).toBe(words);
});

test('screen-reader mode reads an event as a sentence', () => {
  const event = { ...row('db-014', 'postgres-repl'), since: NOW - 180, output: 'lag 184 s' };
  expect(eventSentence(event, NOW_MS)).toBe('critical: postgres-repl on db-014, 3 minutes: lag 184 s');
  expect(eventSentence({ ...event, silenced_by: ['x'] }, NOW_MS)).toBe(
    'silenced, critical: postgres-repl on db-014, 3 minutes: lag 184 s',
  );
  expect(eventSentence({ ...event, action: 'flapping', output: 'a\u001B[2Jb' }, NOW_MS)).toMatch(
    /^critical, flapping: postgres-repl on db-014, 3 minutes: [^\u001B]*$/,
  );
});

test('many changes are announced in one line: the worst event in full, others by check, and a number', () => {
  const changes = changesAfter([row('x', 'ntp'), row('y', 'ntp')]);
  const web = Array.from({ length: 59 }, (_, index) => row(`web-${String(index)}`, 'http-frontend'));
  changes.apply(
    { events: { 'x/ntp': null, 'y/ntp': null, ...byKey([row('a', 'disk', 1), ...web]) } },
    { replace: false },
  );
  const taken = changes.take();
  expect(announcementText(taken, NOW_MS)).toBe(
    'critical: http-frontend on web-0; 58 more critical on http-frontend; 1 warning on disk; 2 resolved on ntp',
  );
  const many = Array.from({ length: 9 }, (_, index) => ({
    kind: 'warning' as const,
    row: row('a', `check-${String(index)}`, 1),
  }));
  expect(announcementText(many, NOW_MS)).toMatch(/; 5 other changes$/);
});

describe('an inhibited event', () => {
  const by = { rule: 'switch-down', client: 'sw-1', check: 'switch' };
  const quiet = (client: string) => ({ ...row(client, 'http'), inhibited_by: by });

  test('an inhibited event says that it is inhibited and by which event', () => {
    const event = { ...quiet('web-1'), since: NOW - 180, output: 'refused' };
    expect(eventSentence(event, NOW_MS)).toBe(
      'critical, inhibited by switch on sw-1: http on web-1, 3 minutes: refused',
    );
    expect(eventSentence({ ...event, silenced_by: ['x'] }, NOW_MS)).toBe(
      'silenced, critical: http on web-1, 3 minutes: refused',
    );
  });

  test('inhibited events are announced after their inhibitor and separately from other events', () => {
    const rows = [quiet('web-1'), quiet('web-2'), row('sw-1', 'switch'), row('web-3', 'http')];
    const changes = rows.map((one) => ({ kind: 'critical' as const, row: one }));
    expect(announcementText(changes, NOW_MS)).toBe(
      'critical: switch on sw-1; 1 critical on http; 2 critical, inhibited on http',
    );
    expect(announcementText(changes.slice(0, 2), NOW_MS)).toBe(
      'critical, inhibited by switch on sw-1: http on web-1; 1 more critical, inhibited on http',
    );
  });

  test('the resolve of an inhibited event is announced like any other resolve', () => {
    const changes = [quiet('web-1'), row('web-3', 'http')].map((one) => ({ kind: 'resolved' as const, row: one }));
    expect(announcementText(changes, NOW_MS)).toBe('resolved: http on web-1; 1 more resolved on http');
  });

  test('the counts of screen-reader mode include the inhibited events', () => {
    expect(countsWords([quiet('web-1'), row('sw-1', 'switch')])).toBe('2 critical; 1 of them inhibited');
  });

  test('the counts of screen-reader mode include the acknowledged events', () => {
    const acknowledged = { ...row('web-1', 'http'), acknowledged: { by: 'ada', at: 0 } };
    expect(countsWords([acknowledged, row('sw-1', 'switch')])).toBe('2 critical; 1 of them acknowledged');
  });
});

test('the counts of screen-reader mode name the worst severity first', () => {
  expect(countsWords([row('a', 'disk', 1), row('b', 'disk'), row('c', 'disk', 2, ['x'])])).toBe(
    '1 critical, 1 warning, 1 silenced',
  );
  expect(countsWords([])).toBe('no events');
});
