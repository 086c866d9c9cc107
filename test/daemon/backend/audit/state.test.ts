import { expect, test } from 'vitest';
import { AuditChain } from '../../../../daemon/backend/audit/state.ts';

const ENTRY = { who: 'ops', from: null, how: 'test', action: 'user.change', target: 'ann' } as const;
const CHANGE = { ...ENTRY, before: null, after: null, reason: null };

test('a record pushes out at most a thousand earlier ones after the limit was lowered', () => {
  const chain = new AuditChain({ auditLimit: 10 });
  chain.load({ first: 1, last: 2500, hash: 'x', at: 0 });
  const trimmed = (): number => chain.append(CHANGE, 0).trimmed.length;
  expect([trimmed(), trimmed(), trimmed(), trimmed()]).toEqual([1000, 1000, 493, 1]);
  expect(chain.head).toMatchObject({ first: 2495, last: 2504 });
});

test('a record is never older than the one before it, also when the clock was set back', () => {
  const chain = new AuditChain({ auditLimit: 10 });
  expect([5000, 4000, 6000].map((nowMs) => chain.append(CHANGE, nowMs).record.at)).toEqual([5000, 5000, 6000]);
});
