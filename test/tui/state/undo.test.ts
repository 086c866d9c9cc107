import { describe, expect, test } from 'vitest';
import type { BulkOperation } from '../../../shared/schemas/bulk.ts';
import type { SubmittedMonSilenced } from '../../../shared/schemas/silenced.ts';
import {
  changeOutcomes,
  changeReport,
  refusedReport,
  undoText,
  type BulkChange,
  namesOfEnded,
} from '../../../tui/words/changes.ts';
import { OwnChanges, undoOperations } from '../../../tui/state/undo.ts';

const NOW_MS = Date.UTC(2026, 10, 20, 12);

function clear(id: string): BulkOperation {
  return { op: 'clear', id, if_timestamp: 5 };
}

function restore(about: Partial<Extract<BulkOperation, { op: 'restore' }>['entry']> = {}): BulkOperation {
  return {
    op: 'restore',
    entry: {
      subscription: 'client:a',
      check: 'disk',
      reason: 'CHG-1',
      creator: 'bob',
      begin: null,
      expire_at: NOW_MS / 1000 + 3600,
      expire_on_resolve: false,
      timestamp: 5,
      ...about,
    },
    if_timestamp: null,
  };
}

describe('the own changes of a console', () => {
  test('the undo finds the last change that can be undone and lists the later changes', () => {
    const changes = new OwnChanges();
    changes.remember('1 silence created', [clear('a')], NOW_MS);
    changes.remember('2 silences created', [clear('b'), clear('c')], NOW_MS + 1);
    changes.remember('1 event resolved', [], NOW_MS + 2);
    expect(changes.last(NOW_MS + 3)).toMatchObject({
      change: { message: '2 silences created' },
      since: [{ message: '1 event resolved' }],
    });
  });

  test('a change that has been undone is not offered for undo again', () => {
    const changes = new OwnChanges();
    changes.remember('first', [clear('a')], NOW_MS);
    changes.remember('second', [clear('b')], NOW_MS);
    const { change } = changes.last(NOW_MS);
    changes.forget(change?.id ?? 0);
    expect(changes.last(NOW_MS).change).toMatchObject({ message: 'first' });
  });

  test('own changes can be undone for ten minutes, and at most the last twenty', () => {
    const changes = new OwnChanges();
    changes.remember('one', [clear('a')], NOW_MS);
    expect(changes.last(NOW_MS + 600_000).change).toMatchObject({ message: 'one' });
    expect(changes.last(NOW_MS + 600_001).change).toBeUndefined();
    for (let index = 0; index < 20; index++) changes.remember('resolved', [], NOW_MS);
    expect(changes.last(NOW_MS).change).toBeUndefined();
  });
});

test('the undo of several operations reverts the last one first', () => {
  const results = [
    { ok: true, undo: clear('a') },
    { ok: false, error: 'changed' as const },
    { ok: true, undo: clear('b') },
  ];
  expect(undoOperations(results)).toEqual([clear('b'), clear('a')]);
});

describe('the outcome of a change', () => {
  const change: BulkChange = { verb: 'end-silence', operations: [clear('client:a:disk'), clear('client:b:disk')] };

  test('a successful change is reported in one line, even if another user has done a part of it before', () => {
    const outcomes = changeOutcomes(change, [{ ok: true }, { ok: false, error: 'not_found' }]);
    expect(changeReport(change, outcomes, NOW_MS)).toEqual({ title: '2 silences ended', isComplete: true, lines: [] });
  });

  test('a partly failed change is reported with the failed operations, the reasons and the successful operations', () => {
    const outcomes = changeOutcomes(change, [{ ok: true }, { ok: false, error: 'changed' }]);
    expect(changeReport(change, outcomes, NOW_MS)).toEqual({
      title: '1 of 2 silences ended',
      isComplete: false,
      lines: ['not ended: b / disk: it was changed meanwhile', 'ended: a / disk'],
    });
  });

  test('an operation of a change without a response counts as not done', () => {
    const outcomes = changeOutcomes(change, [{ ok: true }]);
    expect(outcomes.map(({ problem }) => problem !== undefined)).toEqual([false, true]);
  });

  test('an undo that the backend rejects as too late says so', () => {
    const undo: BulkChange = { verb: 'undo', operations: [restore()] };
    const outcomes = changeOutcomes(undo, [{ ok: false, error: 'expired' }]);
    expect(changeReport(undo, outcomes, NOW_MS).title).toBe('a / disk not undone: it would have ended by now');
  });

  test('the rejection of a whole change names its only operation or counts its operations', () => {
    const one: BulkChange = { verb: 'resolve', operations: [{ op: 'resolve', client: 'a', check: 'disk' }] };
    expect(refusedReport(one, 'try again').title).toBe('a/disk not resolved: try again');
    expect(refusedReport(change, 'try again').title).toBe('2 silences not ended: try again');
  });

  test.each<{ period: Partial<SubmittedMonSilenced>; text: string }>([
    { period: { expire: 7200 }, text: 'ends at 14:00Z' },
    { period: { expire: 172_800, expire_on_resolve: true }, text: 'ends at 11-22 12:00Z or when the check resolves' },
    { period: { begin: NOW_MS / 1000 + 3600, expire: 7200 }, text: 'starts at 13:00Z (in 1h), ends at 15:00Z' },
    { period: { expire: -1 }, text: 'never expires' },
  ])('the outcome of a new silence says that it $text', ({ period, text }) => {
    const operations: BulkOperation[] = [{ op: 'silence', check: 'disk', ...period }];
    const outcomes = changeOutcomes({ operations }, [{ ok: true }]);
    expect(changeReport({ verb: 'silence', operations }, outcomes, NOW_MS).title).toBe(
      `1 silence created: check:disk, ${text}`,
    );
  });

  test('the outcome of several silences with different ends does not say when they end', () => {
    const operations: BulkOperation[] = [60, 120].map((expire) => ({ op: 'silence', check: 'disk', expire }));
    const outcomes = changeOutcomes({ operations }, [{ ok: true }, { ok: true }]);
    expect(changeReport({ verb: 'silence', operations }, outcomes, NOW_MS).title).toBe('2 silences created');
  });

  test('the outcome of an acknowledgement names its event', () => {
    const acknowledgement: BulkChange = {
      verb: 'acknowledge',
      operations: [{ op: 'acknowledge', client: 'a', check: 'disk' }],
    };
    const outcomes = changeOutcomes(acknowledgement, [{ ok: true }]);
    expect(changeReport(acknowledgement, outcomes, NOW_MS).title).toBe('1 event acknowledged: a/disk');
  });
});

test.each<{ operation: BulkOperation; text: string }>([
  { operation: clear('client:a:disk'), text: 'ends the silence a / disk' },
  { operation: restore(), text: 'recreates: a / disk by bob, 1h left' },
  { operation: { op: 'unacknowledge', client: 'a', check: 'disk' }, text: 'removes the acknowledgement of a/disk' },
  {
    operation: { op: 'acknowledge', client: 'a', check: 'disk', owner: 'bob' },
    text: 'restores the acknowledgement of a/disk by bob',
  },
  { operation: { ...restore(), if_timestamp: 7 } as BulkOperation, text: 'restores: a / disk by bob, 1h left' },
  // Earlier versions of the backend write milliseconds.
  { operation: restore({ expire_at: NOW_MS + 3_600_000 }), text: 'recreates: a / disk by bob, 1h left' },
  { operation: restore({ creator: null, expire_at: null }), text: 'recreates: a / disk, never expires' },
])('the text of an undo says exactly what it does: $text', ({ operation, text }) => {
  expect(undoText(operation, NOW_MS)).toBe(text);
});

test('control sequences in a name do not reach the terminal in the text of an undo', () => {
  expect(undoText(restore({ creator: 'e\u001B[31mvil' }), NOW_MS)).not.toContain('\u001B');
});

test('the undo of a silence by search names the search and not the id', () => {
  const id = 'selector-4c0be81e2919cece';
  const operations = [clear(id), clear('client:a:disk')];
  const names = namesOfEnded(operations, new Map([[id, { id, selector: 'env=prod' }]]));
  expect(operations.map((operation) => undoText(operation, 0, names))).toEqual([
    'ends the silence search env=prod',
    'ends the silence a / disk',
  ]);
  const outcomes = changeOutcomes({ operations: [clear(id)] }, [{ ok: true }], names);
  const change: BulkChange = { verb: 'end-silence', operations: [clear(id)] };
  expect(changeReport(change, outcomes, NOW_MS).title).toBe('1 silence ended: search env=prod');
});
