import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  auditHash,
  boundedAuditText,
  boundedAuditValue,
  followAuditChain,
  type AuditLink,
} from '../../../shared/domain/audit.ts';
import type { AuditRecord } from '../../../shared/schemas/audit.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function trail(length: number): AuditRecord[] {
  const records: AuditRecord[] = [];
  for (let id = 1; id <= length; id++) {
    const unsealed = {
      id,
      at: 1_700_000_000_000 + id,
      who: 'ops',
      from: '127.0.0.1',
      how: 'POST /silenced',
      action: 'silence.create',
      target: `web-${String(id)}:disk`,
      before: null,
      after: { reason: 'CHG-1', expire_at: null },
      reason: 'CHG-1',
      previous: records.at(-1)?.hash ?? '',
    };
    records.push({ ...unsealed, hash: auditHash(unsealed, sha256) });
  }
  return records;
}

/**
 * Follows the chain from the newest record to the oldest. Returns the first problem, or `whole` if there is none.
 * @param head the recorded end of the trail
 */
function walk(records: readonly AuditRecord[], head: AuditLink): string {
  let expected = head;
  for (const record of records.toReversed()) {
    const next = followAuditChain(expected, record, sha256);
    if ('problem' in next) return next.problem;
    expected = next;
  }
  return 'whole';
}

const headOf = (records: readonly AuditRecord[]): AuditLink => records.at(-1) ?? { id: 0, hash: '' };

describe('the chain of audit records (security S22)', () => {
  const records = trail(5);
  const head = headOf(records);

  test('an unchanged audit trail is valid, even without its oldest records', () => {
    expect(walk(records, head)).toBe('whole');
    expect(walk(records.slice(2), head)).toBe('whole');
  });

  test.each<{ name: string; change: (record: AuditRecord) => AuditRecord }>([
    { name: 'the user was changed', change: (record) => ({ ...record, who: 'nobody' }) },
    { name: 'the time was changed', change: (record) => ({ ...record, at: record.at - 1 }) },
    { name: 'the action was changed', change: (record) => ({ ...record, action: 'silence.clear' }) },
    { name: 'the value before the action was changed', change: (record) => ({ ...record, before: { reason: null } }) },
    { name: 'the previous hash was changed', change: (record) => ({ ...record, previous: sha256('') }) },
    {
      name: 'the record was changed and its hash was computed again',
      change: (record) => {
        const changed = { ...record, who: 'nobody' };
        return { ...changed, hash: auditHash(changed, sha256) };
      },
    },
  ])('verification detects a changed audit record: $name', ({ change }) => {
    for (const { id } of records) {
      const changed = records.map((record) => (record.id === id ? change(record) : record));
      expect(walk(changed, head)).toBe(`audit record ${String(id)} was changed after it was written`);
    }
  });

  test('verification detects a missing audit record', () => {
    expect(
      walk(
        records.filter(({ id }) => id !== 3),
        head,
      ),
    ).toBe('audit record 3 is missing');
    expect(walk(records.slice(0, -1), head)).toBe('audit record 5 is missing');
  });

  test('verification rejects a first audit record that refers to a previous record', () => {
    const [first] = trail(1);
    if (first === undefined) throw new Error('there is one');
    const forged = { ...first, previous: sha256('before') };
    const hash = auditHash(forged, sha256);
    expect(walk([{ ...forged, hash }], { id: 1, hash })).toBe(
      'audit record 1 refers to an earlier record, which cannot exist',
    );
  });

  test('the hash of an audit record does not depend on the order of its keys or on the transfer as JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        const [record] = trail(1);
        if (record === undefined) throw new Error('there is one');
        const sealed = { ...record, before, after };
        const reversed = Object.fromEntries(Object.entries(sealed).toReversed()) as unknown as AuditRecord;
        const received = JSON.parse(JSON.stringify(reversed)) as AuditRecord;
        expect(auditHash(received, sha256)).toBe(auditHash(sealed, sha256));
      }),
    );
  });
});

describe('bounds of the stored audit values', () => {
  test('long texts of an audit value are truncated at every depth', () => {
    const text = 'x'.repeat(10_000);
    const cut = `${'x'.repeat(512)}…`;
    expect(boundedAuditText(text)).toBe(cut);
    expect(boundedAuditValue({ reason: text, list: [text, 1], short: 'as it is' })).toEqual({
      reason: cut,
      list: [cut, 1],
      short: 'as it is',
    });
  });

  test('an audit value that is too long as a whole is truncated to its beginning', () => {
    const bounded = boundedAuditValue(Array.from({ length: 10_000 }, (_, index) => `client-${String(index)}`));
    expect(bounded).toEqual({ cut: expect.stringMatching(/^\["client-0","client-1",/) });
    expect(JSON.stringify(bounded).length).toBeLessThan(10_000);
  });

  test('a truncated audit text never ends within a character', () => {
    expect(boundedAuditText(`${'x'.repeat(511)}😀😀`)).toBe(`${'x'.repeat(511)}\uFFFD…`);
  });
});
