import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { anEvent } from '../../../../support/a-job.ts';
import { DeliveryRig } from '../../../../support/delivery-rig.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { listen, portOf, receiver } from '../../../../support/tcp-receiver.ts';

describe('tcp', () => {
  test('a TCP handler sends the event as JSON without a newline and then closes the connection', async () => {
    const { received, port } = await receiver();
    const rig = new DeliveryRig();
    const outcome = await rig.run({ type: 'tcp', socket: { host: '127.0.0.1', port } });
    expect(outcome).toEqual({ kind: 'delivered' });
    await vi.waitFor(() => expect(received).toEqual([JSON.stringify(anEvent())]));
    expect(rig.log.records).toEqual([]);
  });

  test('a TCP handler can send to localhost', async () => {
    const { received, port } = await receiver();
    expect(await new DeliveryRig().run({ type: 'tcp', socket: { host: 'localhost', port } })).toEqual({
      kind: 'delivered',
    });
    await vi.waitFor(() => expect(received).toHaveLength(1));
  });

  test('a TCP handler sends to the address that was checked, without a second lookup', async () => {
    const { received, port } = await receiver();
    const rig = new DeliveryRig({ names: { 'graphite.example.com': '127.0.0.1' } });
    await rig.run({ type: 'tcp', socket: { host: 'graphite.example.com', port } });
    await vi.waitFor(() => expect(received).toHaveLength(1));
  });

  test('a TCP handler sends a long event completely', async () => {
    const { received, port } = await receiver();
    const event = anEvent({ check: { output: 'ä'.repeat(1_000_000) } });
    await new DeliveryRig().run({ type: 'tcp', socket: { host: '127.0.0.1', port } }, { job: { event } });
    await vi.waitFor(() => expect(received).toEqual([JSON.stringify(event)]));
  });

  test('a TCP handler does not connect if its mutator returns an empty message', async () => {
    const { received, port } = await receiver();
    const rig = new DeliveryRig({ mutators: { nothing: { command: 'true' } } });
    const handler = { type: 'tcp', socket: { host: '127.0.0.1', port }, mutator: 'nothing' };
    expect(await rig.run(handler)).toEqual({ kind: 'delivered' });
    await rig.run({ ...handler, mutator: 'json' });
    await vi.waitFor(() => expect(received).toEqual([JSON.stringify(anEvent())]));
  });

  test('a TCP handler whose connection is refused fails and is retried', async () => {
    const server = await listen({ port: 0, host: '127.0.0.1' }, () => undefined);
    const port = portOf(server);
    const closed = once(server, 'close');
    server.close();
    await closed;
    const rig = new DeliveryRig();
    const outcome = await rig.run({ type: 'tcp', socket: { host: '127.0.0.1', port } });
    expect(outcome).toEqual({
      kind: 'failed',
      reason: 'the connection was refused',
      category: 'connection',
      isRetryable: true,
    });
    expect(rig.record).toMatchObject({
      level: 'error',
      message: 'handler error',
      fields: { handler: 'mail', reason: 'the connection was refused' },
    });
  });

  test.each<{ timeout: number | undefined; ms: number }>([
    { timeout: undefined, ms: 10_000 },
    { timeout: 2.5, ms: 2500 },
  ])('a TCP handler gives up after its timeout if the receiver reads nothing: $timeout', async ({ timeout, ms }) => {
    const { promise: accepted, resolve } = Promise.withResolvers<void>();
    const server = await listen({ port: 0, host: '127.0.0.1' }, (socket) => {
      socket.pause();
      resolve();
    });
    const clock = new ManualClock();
    const rig = new DeliveryRig({ clock });
    // The event is larger than the socket buffers of both ends.
    const event = anEvent({ check: { output: 'x'.repeat(20_000_000) } });
    const running = rig.run(
      { type: 'tcp', socket: { host: '127.0.0.1', port: portOf(server) }, timeout },
      { job: { event } },
    );
    await accepted;
    clock.advance(ms - 1);
    expect(rig.log.records).toEqual([]);
    clock.advance(1);
    expect(await running).toEqual({
      kind: 'failed',
      reason: `it took longer than ${String(ms / 1000)} s`,
      category: 'timeout',
      isRetryable: true,
    });
  });

  test('a TCP handler does not wait until the receiver closes the connection', async () => {
    const { promise: accepted, resolve } = Promise.withResolvers<Socket>();
    const server = await listen({ port: 0, host: '127.0.0.1' }, (socket) => resolve(socket.resume()));
    const clock = new ManualClock();
    const rig = new DeliveryRig({ clock });
    expect(await rig.run({ type: 'tcp', socket: { host: '127.0.0.1', port: portOf(server) } })).toEqual({
      kind: 'delivered',
    });
    const other = await accepted;
    clock.advance(1000);
    expect(clock.pending).toBe(0);
    await vi.waitFor(() => {
      other.write('anybody there?');
      expect(other.destroyed).toBe(true);
    });
  });

  test('a TCP handler does not send to a host name that resolves to a forbidden address', async () => {
    const rig = new DeliveryRig({ names: { 'evil.example.com': '169.254.169.254' } });
    const outcome = await rig.run({ type: 'tcp', socket: { host: 'evil.example.com', port: 80 } });
    expect(outcome).toMatchObject({ kind: 'failed', isRetryable: false });
    expect(rig.record.fields['reason']).toContain('169.254.169.254, which is a link-local address');
  });

  test('a TCP handler is aborted when the backend stops', async () => {
    const server = await listen({ port: 0, host: '127.0.0.1' }, (socket) => socket.pause());
    const stopping = new AbortController();
    const rig = new DeliveryRig();
    const event = anEvent({ check: { output: 'x'.repeat(20_000_000) } });
    const running = rig.run(
      { type: 'tcp', socket: { host: '127.0.0.1', port: portOf(server) } },
      { job: { event }, signal: stopping.signal },
    );
    await once(server, 'connection');
    stopping.abort();
    expect(await running).toMatchObject({ reason: 'the backend is stopping' });
    expect(rig.log.records).toEqual([]);
  });
});

/** Opens a UDP socket, and records the datagrams that arrive. */
async function datagrams(type: 'udp4' | 'udp6', host: string) {
  const socket = createSocket(type);
  socket.bind(0, host);
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  const received: string[] = [];
  socket.on('message', (message) => received.push(message.toString()));
  return { received, port: socket.address().port };
}

describe('udp', () => {
  test.each([
    { type: 'udp4', host: '127.0.0.1' },
    { type: 'udp6', host: '::1' },
  ] as const)('a UDP handler sends the event as one datagram: $host', async ({ type, host }) => {
    const { received, port } = await datagrams(type, host);
    const rig = new DeliveryRig();
    expect(await rig.run({ type: 'udp', socket: { host, port } })).toEqual({ kind: 'delivered' });
    await vi.waitFor(() => expect(received).toEqual([JSON.stringify(anEvent())]));
  });

  test('a UDP handler sends to the address of a host name', async () => {
    const { received, port } = await datagrams('udp4', '127.0.0.1');
    const rig = new DeliveryRig({ names: { 'statsd.example.com': '127.0.0.1' } });
    await rig.run({ type: 'udp', socket: { host: 'statsd.example.com', port }, mutator: 'only_check_output' });
    await vi.waitFor(() => expect(received).toEqual(['CRITICAL: / is full\n']));
  });

  test('an event that is too long for a datagram fails with a remedy', async () => {
    const { port } = await datagrams('udp4', '127.0.0.1');
    const rig = new DeliveryRig();
    const event = anEvent({ check: { output: 'x'.repeat(65_508) } });
    const outcome = await rig.run(
      { type: 'udp', socket: { host: '127.0.0.1', port }, mutator: 'only_check_output' },
      { job: { event } },
    );
    expect(outcome).toEqual({
      kind: 'failed',
      reason: '65508 bytes are too many for one datagram: use a mutator that makes less of the event, or tcp',
      isRetryable: false,
    });
    expect(rig.record).toMatchObject({ level: 'error', message: 'handler error' });
  });

  test('a UDP handler can send the longest event that fits into a datagram', async () => {
    const { received, port } = await datagrams('udp4', '127.0.0.1');
    const event = anEvent({ check: { output: 'x'.repeat(65_507) } });
    const handler = { type: 'udp', socket: { host: '127.0.0.1', port }, mutator: 'only_check_output' };
    expect(await new DeliveryRig().run(handler, { job: { event } })).toEqual({ kind: 'delivered' });
    await vi.waitFor(() => expect(received).toEqual([event.check.output]));
  });
});
