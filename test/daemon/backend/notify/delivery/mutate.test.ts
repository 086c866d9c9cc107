import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { KILL_RUNNER } from '../../../../support/processes.ts';
import { tempDir } from '../../../../support/temp-dir.ts';
import type { MutatorDefinition } from '../../../../../shared/schemas/mutator.ts';

/** Runs a handler with this mutator, and returns the data that the handler received. */
async function runWithMutator(mutator: string | undefined, mutators: Readonly<Record<string, MutatorDefinition>> = {}) {
  const file = join(await tempDir(), 'data');
  const rig = new DeliveryRig({ mutators });
  const outcome = await rig.run({
    type: 'pipe',
    command: `cat > ${file}`,
    ...(mutator === undefined ? {} : { mutator }),
  });
  expect(outcome).toEqual({ kind: 'delivered' });
  return await readFile(file, 'utf8');
}

describe('the input of a handler', () => {
  test.each([undefined, 'json'])(
    'a handler with the mutator %s gets the event as JSON without a trailing newline',
    async (mutator) => {
      expect(await runWithMutator(mutator)).toBe(JSON.stringify(anEvent()));
    },
  );

  test('the built-in mutator only_check_output passes the output of the check to the handler', async () => {
    expect(await runWithMutator('only_check_output')).toBe('CRITICAL: / is full\n');
  });

  test('a mutator command reads the event on stdin, and the handler gets its stdout and stderr', async () => {
    const command = `sed 's/.*"id":"\\([^"]*\\)".*/\\1/'; echo warned >&2`;
    expect(await runWithMutator('short', { short: { command } })).toBe(`${anEvent().id}warned\n`);
  });

  test('a mutator with a list of arguments runs the program without a shell', async () => {
    expect(await runWithMutator('list', { list: { command: ['echo', '$(id) >&2;', 'a  b'] } })).toBe(
      '$(id) >&2; a  b\n',
    );
  });

  test('a mutator definition with the name of a built-in mutator replaces the built-in mutator', async () => {
    expect(await runWithMutator('json', { json: { command: 'echo mine' } })).toBe('mine\n');
  });
});

describe('a handler that does not run because of its mutator', () => {
  test('a handler with an undefined mutator does not run and is not retried', async () => {
    const rig = new DeliveryRig();
    const outcome = await rig.run({ type: 'pipe', command: 'echo ran', mutator: 'nobody' });
    expect(outcome).toEqual({
      kind: 'failed',
      reason: 'unknown mutator: nobody',
      category: 'mutator',
      isRetryable: false,
    });
    expect(rig.record).toMatchObject({
      level: 'error',
      message: 'unknown mutator',
      fields: { handler: 'mail', mutator: 'nobody' },
    });
  });

  test.each<{ mutator: MutatorDefinition; reason: string; status: number }>([
    { mutator: { command: 'echo broken; exit 4' }, reason: 'it exited with 4', status: 4 },
    { mutator: { command: '/no/such/program' }, reason: 'it exited with 127', status: 127 },
    { mutator: { command: 'yes | head -c 300000' }, reason: 'it printed more than can be kept', status: 0 },
  ])('a handler whose mutator fails ($reason) does not run and is not retried', async ({ mutator, reason, status }) => {
    const rig = new DeliveryRig({ mutators: { broken: mutator } });
    const outcome = await rig.run({ type: 'pipe', command: 'echo ran', mutator: 'broken' });
    expect(outcome).toEqual({
      kind: 'failed',
      reason: `mutator error: broken: ${reason}`,
      category: 'mutator',
      isRetryable: false,
    });
    expect(rig.record).toMatchObject({
      level: 'error',
      message: 'mutator error',
      fields: { handler: 'mail', mutator: 'broken', status, reason },
    });
  });

  test('a mutator that exceeds its timeout is stopped, and the handler does not run', async () => {
    const clock = new ManualClock();
    const rig = new DeliveryRig({ clock, mutators: { slow: { command: 'sleep 600', timeout: 2 } } });
    const running = rig.run({ type: 'pipe', command: 'echo ran', mutator: 'slow' });
    clock.advance(2000);
    expect(await running).toMatchObject({ reason: 'mutator error: slow: execution timed out', isRetryable: false });
  });
});

test('a handler whose mutator could not be started is retried', async () => {
  const rig = new DeliveryRig({ mutators: { unlucky: { command: `${KILL_RUNNER}; sleep 600` } } });
  expect(await rig.run({ type: 'pipe', command: 'echo ran', mutator: 'unlucky' })).toEqual({
    kind: 'failed',
    reason: 'mutator error: unlucky: it could not be run',
    category: 'mutator',
    isRetryable: true,
  });
  expect(rig.log.messages('warn')).toEqual(['the process that runs commands has exited and will be restarted']);
});

test('a mutator that is interrupted when the backend stops does not count as failed', async () => {
  const rig = new DeliveryRig({ mutators: { slow: { command: 'sleep 600' } } });
  const stopping = new AbortController();
  const running = rig.run({ type: 'pipe', command: 'echo ran', mutator: 'slow' }, { signal: stopping.signal });
  stopping.abort();
  expect(await running).toMatchObject({ reason: 'the backend is stopping', isRetryable: true });
  expect(rig.log.records).toEqual([]);
});

test('the mutator of a handler with redact gets the event without its secrets', async () => {
  const file = join(await tempDir(), 'seen');
  const rig = new DeliveryRig({ mutators: { spy: { command: `tee ${file}` } } });
  const event = anEvent({ client: { name: 'web-1', password: 'hunter2' } });
  await rig.run({ type: 'pipe', command: 'true', mutator: 'spy', redact: true }, { job: { event } });
  expect(await readFile(file, 'utf8')).not.toContain('hunter2');
});
