import { expect, test } from 'vitest';
import { LastDeliveries } from '../../../../../daemon/backend/notify/delivery/last-deliveries.ts';

const of = (id: number, client = 'web-1') => ({ id, namespace: 'default', client, check: 'disk', handler: 'mail' });
const lastOf = (last: LastDeliveries, client = 'web-1') => last.lastDeliveryForCheck('default', client, 'disk', 'mail');

test('the last delivery of a handler is that of the newest job, even if an older job ends later', () => {
  const last = new LastDeliveries();
  expect(lastOf(last)).toBeUndefined();
  last.record(of(1), { state: 'delivered', at: 5, attempts: 1 });
  last.record(of(2), { state: 'running', at: 6, attempts: 1 });
  last.record(of(1), { state: 'failed', at: 7, attempts: 1, reason: 'late' });
  expect(lastOf(last)).toEqual({ state: 'running', at: 6, attempts: 1 });
});

test('a delivery that is queued behind a retry shows the reason of the retry', () => {
  const last = new LastDeliveries();
  last.record(of(1), { state: 'retrying', at: 5, attempts: 1, reason: 'refused' });
  last.record(of(2), { state: 'queued', at: 6, attempts: 0 });
  expect(lastOf(last)).toEqual({ state: 'queued', at: 6, attempts: 0, reason: 'refused' });
  last.record(of(3), { state: 'queued', at: 6, attempts: 0 });
  expect(lastOf(last)?.reason).toBe('refused');
  last.record(of(1), { state: 'running', at: 7, attempts: 2 });
  expect(lastOf(last)?.reason).toBe('refused');
  last.record(of(1), { state: 'retrying', at: 7, attempts: 2, reason: 'no answer in time' });
  expect(lastOf(last)).toEqual({ state: 'queued', at: 6, attempts: 0, reason: 'no answer in time' });
  last.record(of(1), { state: 'delivered', at: 8, attempts: 3 });
  expect(lastOf(last)).toEqual({ state: 'queued', at: 6, attempts: 0 });
});

test('the last deliveries are recorded up to a limit, and those that changed longest ago are removed', () => {
  const last = new LastDeliveries(2);
  last.record(of(1, 'a'), { state: 'queued', at: 1, attempts: 0 });
  last.record(of(2, 'b'), { state: 'delivered', at: 2, attempts: 1 });
  last.record(of(1, 'a'), { state: 'running', at: 3, attempts: 1 });
  last.record(of(3, 'c'), { state: 'queued', at: 4, attempts: 0 });
  expect(['a', 'b', 'c'].map((client) => lastOf(last, client)?.state)).toEqual(['running', undefined, 'queued']);
});
