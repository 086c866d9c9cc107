import { describe, expect, test } from 'vitest';
import { MonError } from '../../../../../shared/errors.ts';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { FeedRig } from '../../../../support/feed-rig.ts';

test('the built-in handler debug writes the event without its secrets into the log', async () => {
  const rig = new DeliveryRig();
  const event = anEvent({ client: { name: 'web-1', password: 'hunter2' } });
  expect(await rig.runBuiltIn('debug', { job: { event } })).toEqual({ kind: 'delivered' });
  expect(rig.record).toMatchObject({
    level: 'info',
    message: 'handler extension output',
    fields: { handler: 'debug' },
  });
  expect(JSON.parse(String(rig.record.fields['output']))).toEqual({
    ...event,
    client: { ...event.client, password: 'REDACTED' },
  });
});

test('the built-in handler debug writes at most 4 KiB of an event into the log', async () => {
  const rig = new DeliveryRig();
  await rig.runBuiltIn('debug', { job: { event: anEvent({ check: { output: 'x'.repeat(100_000) } }) } });
  expect(String(rig.record.fields['output'])).toHaveLength(4096);
});

function deregistering({ clients, registry }: FeedRig): DeliveryRig {
  return new DeliveryRig({ remove: (...about) => clients.remove(...about), registry });
}

describe('deregistration', () => {
  test('the built-in handler deregistration deletes the client with all of its data', async () => {
    const backend = await FeedRig.open();
    await backend.clients.put('default', { name: 'web-1', address: '192.0.2.1', subscriptions: [] });
    await backend.submit([{ name: 'disk', output: 'full', status: 2, source: 'web-1' }]);
    const rig = deregistering(backend);
    expect(await rig.runBuiltIn('deregistration')).toEqual({ kind: 'delivered' });
    const { clients } = backend.registry.namespace('default');
    expect([...clients.keys()]).not.toContain('web-1');
    // The handler runs a second time, as after a kill of the backend, and has nothing to do.
    expect(await rig.runBuiltIn('deregistration')).toEqual({ kind: 'delivered' });
  });

  test('the built-in handler deregistration does not delete a client that has sent a newer keepalive', async () => {
    const backend = await FeedRig.open();
    backend.clock.advance(1000);
    await backend.clients.put('default', { name: 'web-1', address: '192.0.2.1', subscriptions: [] });
    const rig = deregistering(backend);
    expect(await rig.runBuiltIn('deregistration')).toEqual({ kind: 'delivered' });
    expect([...backend.registry.namespace('default').clients.keys()]).toContain('web-1');
    expect(rig.record).toMatchObject({
      level: 'info',
      message: 'client was not deregistered: it has sent a keepalive again',
    });
    // An event that is newer than the keepalive deletes the client.
    const event = anEvent({ timestamp: backend.clock.now() / 1000 });
    await rig.runBuiltIn('deregistration', { job: { event } });
    expect([...backend.registry.namespace('default').clients.keys()]).not.toContain('web-1');
  });

  test('the built-in handler deregistration is retried when the store rejects the deletion', async () => {
    const rig = new DeliveryRig({ remove: () => Promise.reject(new MonError('unavailable', 'the disk is full')) });
    expect(await rig.runBuiltIn('deregistration')).toEqual({
      kind: 'failed',
      reason: 'the disk is full',
      isRetryable: true,
    });
    expect(rig.record).toMatchObject({
      level: 'error',
      message: 'handler error',
      fields: { reason: 'the disk is full' },
    });
  });
});

test('a handler that is neither defined nor built in fails without a retry', async () => {
  expect(await new DeliveryRig().runBuiltIn('mail')).toEqual({
    kind: 'failed',
    reason: 'handler is not defined',
    isRetryable: false,
  });
});
