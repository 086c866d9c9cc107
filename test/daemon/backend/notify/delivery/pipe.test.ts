import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { isAlive } from '../../../../support/is-alive.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const secretive = anEvent({ client: { name: 'web-1', db: { password: 'hunter2' } } });

/** Waits until a command has written a line to the file, and returns the text. */
async function waitForLine(file: string): Promise<string> {
  return await vi.waitFor(async () => {
    const text = await readFile(file, 'utf8');
    if (!text.endsWith('\n')) throw new Error(`not all of it: ${text}`);
    return text;
  });
}

test('the command of a pipe handler reads the complete event as JSON on stdin', async () => {
  const file = join(await tempDir(), 'event');
  const rig = new DeliveryRig();
  const outcome = await rig.run({ type: 'pipe', command: `cat > ${file}` }, { job: { event: secretive } });
  expect(outcome).toEqual({ kind: 'delivered' });
  expect(await readFile(file, 'utf8')).toBe(JSON.stringify(secretive));
});

test('a pipe handler with a list of arguments runs the program without a shell', async () => {
  const rig = new DeliveryRig();
  await rig.run({ type: 'pipe', command: ['echo', '$(id);', 'a  b'] });
  expect(rig.record).toMatchObject({ message: 'handler output', fields: { output: '$(id); a  b\n' } });
});

test('a pipe handler with redact gets the event without its secrets', async () => {
  const file = join(await tempDir(), 'event');
  await new DeliveryRig().run({ type: 'pipe', command: `cat > ${file}`, redact: true }, { job: { event: secretive } });
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ client: { db: { password: 'REDACTED' } } });
});

describe('the log of a pipe handler', () => {
  test('the output of a successful handler command is logged at level info', async () => {
    const rig = new DeliveryRig();
    await rig.run({ type: 'pipe', command: 'echo sent; echo and more >&2' });
    expect(rig.record).toEqual({
      level: 'info',
      message: 'handler output',
      fields: {
        handler: 'mail',
        client: 'web-1',
        check: 'disk',
        event_id: anEvent().id,
        attempt: 1,
        status: 0,
        output: 'sent\nand more\n',
      },
    });
  });

  test('the output of a failed handler command is logged at level error, and the command can be retried', async () => {
    const rig = new DeliveryRig();
    const outcome = await rig.run({ type: 'pipe', command: 'echo no route; exit 3' });
    expect(outcome).toEqual({ kind: 'failed', reason: 'it exited with 3', category: 'exit_status', isRetryable: true });
    expect(rig.record).toMatchObject({
      level: 'error',
      message: 'handler output',
      fields: { status: 3, output: 'no route\n' },
    });
  });

  test('the logged output of a handler command is truncated at 4 KiB', async () => {
    const rig = new DeliveryRig();
    await rig.run({ type: 'pipe', command: 'yes | head -c 100000' });
    expect(String(rig.record.fields['output'])).toHaveLength(4096);
  });
});

test('a handler command that does not read a long event does not fail because of that', async () => {
  const event = anEvent({ check: { output: 'x'.repeat(300_000) } });
  expect(await new DeliveryRig().run({ type: 'pipe', command: 'true' }, { job: { event } })).toEqual({
    kind: 'delivered',
  });
});

test('a missing handler command fails with the exit status of the shell', async () => {
  const rig = new DeliveryRig();
  expect(await rig.run({ type: 'pipe', command: '/no/such/program' })).toMatchObject({ kind: 'failed' });
  expect(rig.record.fields).toMatchObject({ status: 127, output: expect.stringContaining('not found') });
});

test('the timeout of a pipe handler kills the command and all of its children', async () => {
  const pids = join(await tempDir(), 'pids');
  const clock = new ManualClock();
  const rig = new DeliveryRig({ clock });
  const running = rig.run({ type: 'pipe', command: `sleep 600 & echo $! $$ > ${pids}; wait`, timeout: 1.5 });
  const family = (await waitForLine(pids)).trim().split(' ').map(Number);
  expect(family.every((pid) => isAlive(pid))).toBe(true);
  clock.advance(1500);
  expect(await running).toEqual({
    kind: 'failed',
    reason: 'Execution timed out',
    category: 'timeout',
    isRetryable: true,
  });
  expect(rig.record).toMatchObject({ level: 'error', fields: { status: 2, output: 'Execution timed out' } });
  await vi.waitFor(() => expect(family.filter((pid) => isAlive(pid))).toEqual([]));
});

test('a pipe handler without a timeout runs until the backend stops', async () => {
  const pids = join(await tempDir(), 'pids');
  const clock = new ManualClock();
  const rig = new DeliveryRig({ clock });
  const stopping = new AbortController();
  const running = rig.run({ type: 'pipe', command: `echo $$ > ${pids}; sleep 600` }, { signal: stopping.signal });
  const pid = Number(await waitForLine(pids));
  clock.advance(3_600_000);
  expect(isAlive(pid)).toBe(true);
  stopping.abort();
  expect(await running).toEqual({ kind: 'failed', reason: 'the backend is stopping', isRetryable: true });
  // The interrupted run is not logged, because the handler runs again after the restart.
  expect(rig.log.records).toEqual([]);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
});
