import { describe, expect, test } from 'vitest';
import type { RunningHandler } from '../../../../../shared/schemas/handler.ts';
import { aJob, anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';

const HANGS: RunningHandler = { type: 'pipe', command: 'exec sleep 1000' };

describe('the test run of a handler', () => {
  test('the test run of a handler that hangs ends after 25 seconds', async () => {
    const clock = new ManualClock();
    const tried = new DeliveryRig({ clock }).delivery.runTest(aJob(), HANGS);
    clock.advance(25_000);
    expect(await tried).toMatchObject({ outcome: { kind: 'failed', reason: 'it took longer than 25 s' } });
  });

  test('the preview of a handler whose mutator hangs shows the reason after 25 seconds', async () => {
    const clock = new ManualClock();
    const { delivery } = new DeliveryRig({ clock, mutators: { hangs: { command: 'exec sleep 1000' } } });
    const shown = delivery.preview(aJob(), { ...HANGS, mutator: 'hangs' });
    clock.advance(25_000);
    expect(await shown).toEqual({ problems: ['it took longer than 25 s'] });
  });

  test('the preview of a handler shows no secrets, even if the handler receives secrets', async () => {
    const event = anEvent({ client: { name: 'web-1', password: 'hunter2' } });
    const shown = await new DeliveryRig().delivery.preview(aJob({ event }), { ...HANGS, redact: false });
    expect(JSON.stringify(shown)).toContain('web-1');
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });

  test('the test run of a handler ends when the backend stops', async () => {
    const { delivery, stopping } = new DeliveryRig();
    const tried = delivery.runTest(aJob(), HANGS);
    stopping.abort();
    expect(await tried).toMatchObject({ outcome: { reason: 'the backend is stopping' } });
  });
});
