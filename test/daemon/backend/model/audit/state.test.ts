import { expect, onTestFinished, test } from 'vitest';
import { AuditChain } from '../../../../../daemon/backend/model/audit/state.ts';
import { Audit } from '../../../../../daemon/backend/model/audit/mutations.ts';
import { HandlingRig } from '../../../../support/handling-rig.ts';

const ENTRY = { who: 'ops', from: null, how: 'test', action: 'user.change', target: 'ann' } as const;
const CHANGE = { ...ENTRY, before: null, after: null, reason: null };

test('after the audit limit was lowered, each new audit record deletes at most a thousand old records', () => {
  const chain = new AuditChain({ auditLimit: 10 });
  chain.load({ first: 1, last: 2500, hash: 'x', at: 0 });
  const trimmed = (): number => chain.append(CHANGE, 0).trimmed.length;
  expect([trimmed(), trimmed(), trimmed(), trimmed()]).toEqual([1000, 1000, 493, 1]);
  expect(chain.head).toMatchObject({ first: 2495, last: 2504 });
});

test('an audit record is never older than the previous record, even after a clock jump', () => {
  const chain = new AuditChain({ auditLimit: 10 });
  expect([5000, 4000, 6000].map((nowMs) => chain.append(CHANGE, nowMs).record.at)).toEqual([5000, 5000, 6000]);
});

test('an audit record contains no secret of a definition and no text of unlimited length', async () => {
  const rig = await HandlingRig.open();
  onTestFinished(() => rig[Symbol.asyncDispose]());
  const definition = {
    type: 'webhook',
    url: 'https://hooks.example.com/hunter2',
    topic: 'hunter2',
    headers: { 'X-Key': 'hunter2' },
    env_vars: ['KEY=hunter2'],
    smtp: { password: 'hunter2' },
    routing_key: 'hunter2',
    name: 'mail',
  };
  const long = 'x'.repeat(10_000);
  const actor = { who: long, from: null, how: long };
  const change = {
    action: 'definition.change',
    target: long,
    reason: long,
    before: definition,
    after: definition,
  } as const;
  await new Audit(rig.batcher).record(actor, change);
  const records: string[] = [];
  for await (const [, text] of rig.store.scan(['audit'])) records.push(text);
  expect(records).toHaveLength(1);
  expect(records[0]).not.toContain('hunter2');
  expect(JSON.parse(records[0] ?? '')).toMatchObject({ before: { name: 'mail' }, after: { name: 'mail' } });
  expect(records[0]?.length).toBeLessThan(5000);
});
