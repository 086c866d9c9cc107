import { expect, test, vi } from 'vitest';
import { ReadGate } from '../../../../daemon/backend/store/read-gate.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

test('closing the read gate waits for current reads, and later reads wait until the gate opens', async () => {
  const gate = new ReadGate(new ManualClock());
  const order: string[] = [];
  const first = await gate.enter();
  const shut = gate.shut(async () => void order.push('shut'));
  const second = gate.enter().then(() => order.push('read'));
  await Promise.resolve();
  expect(order).toEqual([]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await Promise.all([shut, second]);
  expect(order).toEqual(['shut', 'read']);
});

test('waiting to close the read gate and waiting to read both have a time limit', async () => {
  const clock = new ManualClock();
  const gate = new ReadGate(clock);
  await gate.enter();
  const { promise, resolve } = Promise.withResolvers<void>();
  const task = vi.fn<() => Promise<void>>(() => promise);
  const shut = gate.shut(task);
  const late = gate.enter();
  await vi.waitFor(() => expect(clock.pending).toBe(2));
  clock.advance(2000);
  await vi.waitFor(() => expect(task).toHaveBeenCalledOnce());
  clock.advance(3000);
  await expect(late).rejects.toMatchObject({ code: 'unavailable' });
  resolve();
  await shut;
  await gate.enter();
  expect(clock.pending).toBe(0);
});

test('the read gate opens again when the task that closed it fails', async () => {
  const gate = new ReadGate(new ManualClock());
  await expect(gate.shut(() => Promise.reject(new Error('EIO')))).rejects.toThrow('EIO');
  expect(gate.isShut).toBe(false);
});
