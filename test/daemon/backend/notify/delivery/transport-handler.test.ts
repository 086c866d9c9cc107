import { execFile } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test, vi } from 'vitest';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { receiver } from '../../../../support/tcp-receiver.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const run = promisify(execFile);

describe('transport', () => {
  const event = anEvent({ client: { name: 'web-1', password: 'hunter2' } });
  const shown = { ...event, client: { ...event.client, password: 'REDACTED' } };
  const pipe = { type: 'topic', name: 'alerts' };

  test('a transport handler publishes the redacted event on the feed', async () => {
    const rig = new DeliveryRig();
    expect(await rig.run({ type: 'transport', pipe }, { job: { event } })).toEqual({ kind: 'delivered' });
    expect(rig.published).toEqual([{ transport: 'alerts', data: JSON.stringify(shown) }]);
  });

  test('a transport handler publishes the output of its mutator, which gets the redacted event', async () => {
    const rig = new DeliveryRig({ mutators: { same: { command: 'cat' } } });
    await rig.run({ type: 'transport', pipe, mutator: 'same' }, { job: { event } });
    expect(rig.published).toEqual([{ transport: 'alerts', data: JSON.stringify(shown) }]);
  });

  test('a transport handler with a file appends the complete event to a private file', async () => {
    const file = join(await tempDir(), 'alerts.jsonl');
    const rig = new DeliveryRig();
    const handler = { type: 'transport', pipe: { ...pipe, options: { file, durable: true } } };
    await rig.run(handler, { job: { event } });
    await rig.run({ ...handler, redact: true }, { job: { event } });
    expect(await readFile(file, 'utf8')).toBe(`${JSON.stringify(event)}\n${JSON.stringify(shown)}\n`);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(rig.published).toHaveLength(2);
  });

  test.each<{ title: string; command: string; line: string }>([
    { title: 'text', command: 'echo one; echo two', line: JSON.stringify('one\ntwo\n') },
    { title: 'JSON on several lines', command: `printf '{\\n"a": 1\\n}\\n'`, line: '{"a":1}' },
  ])(
    'a transport handler with a file appends one line of JSON for a mutator that prints $title',
    async ({ command, line }) => {
      const file = join(await tempDir(), 'alerts.jsonl');
      const rig = new DeliveryRig({ mutators: { other: { command } } });
      await rig.run({ type: 'transport', pipe: { ...pipe, options: { file } }, mutator: 'other' });
      expect(await readFile(file, 'utf8')).toBe(`${line}\n`);
    },
  );

  test('concurrent jobs of a transport handler append separate lines to the file', async () => {
    const file = join(await tempDir(), 'alerts.jsonl');
    const rig = new DeliveryRig();
    const ids = Array.from({ length: 50 }, (_, index) => `event-${String(index)}`);
    await Promise.all(
      ids.map((id) =>
        rig.run(
          { type: 'transport', pipe: { ...pipe, options: { file } } },
          { job: { event: anEvent({ id, check: { output: 'x'.repeat(20_000) } }) } },
        ),
      ),
    );
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id).toSorted()).toEqual(ids.toSorted());
  });

  test('a transport handler can send to a UNIX socket', async () => {
    const path = join(await tempDir(), 'alerts.sock');
    const { received } = await receiver({ path });
    await new DeliveryRig().run({ type: 'transport', pipe: { ...pipe, options: { socket: path } } });
    await vi.waitFor(() => expect(received).toEqual([JSON.stringify(anEvent())]));
  });

  test('a transport handler can send to a port', async () => {
    const { received, port } = await receiver();
    const options = { socket: `127.0.0.1:${String(port)}` };
    await new DeliveryRig().run({ type: 'transport', pipe: { ...pipe, options } });
    await vi.waitFor(() => expect(received).toEqual([JSON.stringify(anEvent())]));
  });

  test.each<{ options: object; reason: RegExp }>([
    { options: { file: '/no/such/directory/file' }, reason: /cannot be written: ENOENT/ },
    { options: { file: '/dev/full' }, reason: /cannot be written: ENOSPC/ },
    { options: { socket: '/no/such/socket' }, reason: /the socket does not exist/ },
  ])(
    'a transport handler with $options fails, is retried, and publishes on the feed only once',
    async ({ options, reason }) => {
      const rig = new DeliveryRig();
      const handler = { type: 'transport', pipe: { ...pipe, options } };
      for (const attempt of [1, 2]) {
        expect(await rig.run(handler, { attempt })).toMatchObject({
          kind: 'failed',
          reason: expect.stringMatching(reason),
          isRetryable: true,
        });
      }
      expect(rig.published).toHaveLength(1);
      expect(rig.log.messages('error')).toEqual(['handler error', 'handler error']);
    },
  );

  test('a transport handler fails instead of waiting for a reader of a named pipe', async () => {
    const file = join(await tempDir(), 'fifo');
    await run('mkfifo', [file]);
    const rig = new DeliveryRig();
    expect(await rig.run({ type: 'transport', pipe: { ...pipe, options: { file } } })).toMatchObject({
      kind: 'failed',
      isRetryable: true,
    });
  });

  test('a transport handler rejects an event that is too long', async () => {
    const rig = new DeliveryRig();
    const long = anEvent({ check: { output: 'x'.repeat(256 * 1024) } });
    expect(await rig.run({ type: 'transport', pipe }, { job: { event: long } })).toMatchObject({
      kind: 'failed',
      reason: expect.stringContaining('more than the 262144 that a transport takes'),
      isRetryable: false,
    });
    expect(rig.published).toEqual([]);
    expect(rig.log.messages('error')).toEqual(['handler error']);
  });
});
