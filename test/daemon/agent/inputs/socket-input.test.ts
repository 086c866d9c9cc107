import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { acceptLocalResults } from '../../../../daemon/agent/inputs/local-result.ts';
import { openTcpInput, openUdpInput, type LocalInput } from '../../../../daemon/agent/inputs/socket-input.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { cpuMs } from '../../../support/cpu-ms.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

interface Bench {
  readonly port: number;
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  readonly delivered: SubmittedResult[];
}

async function aBench(
  open: typeof openTcpInput,
  deliver?: (result: SubmittedResult) => Promise<void>,
): Promise<Bench & { readonly input: LocalInput }> {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const delivered: SubmittedResult[] = [];
  const take = async (result: SubmittedResult): Promise<void> => {
    delivered.push(await Promise.resolve(result));
  };
  const accept = async (message: unknown): Promise<void> =>
    await acceptLocalResults(message, { clock, deliver: deliver ?? take });
  const input = await open({ bind: '127.0.0.1', port: 0 }, { clock, log, accept });
  onTestFinished(async () => await input[Symbol.asyncDispose]());
  return { input, port: input.port, clock, log, delivered };
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay();
  await once(socket, 'connect');
  return socket;
}

const aResult = (fields: object = {}): string => JSON.stringify({ name: 'backup', output: 'done', ...fields });

describe('TCP', () => {
  test.each<{ name: string; message: string; expectedResponse: string; delivered: string[] }>([
    { name: 'a ping', message: 'ping', expectedResponse: 'pong', delivered: [] },
    { name: 'a ping between blanks', message: ' \nping\r\n', expectedResponse: 'pong', delivered: [] },
    { name: 'a result', message: aResult(), expectedResponse: 'ok', delivered: ['backup'] },
    {
      name: 'a result of several lines',
      message: '{\n "name": "a",\n "output": "b"\n}\n',
      expectedResponse: 'ok',
      delivered: ['a'],
    },
    {
      name: 'an output with unescaped newlines and tabs',
      message: '{"name": "backup", "output": "one\ttwo\nthree\n"}',
      expectedResponse: 'ok',
      delivered: ['backup'],
    },
    {
      name: 'an array of results',
      message: `[${aResult()}, ${aResult({ name: 'b' })}]`,
      expectedResponse: 'ok',
      delivered: ['backup', 'b'],
    },
    {
      name: 'a result with an invalid check name',
      message: '{"name": "a b", "output": ""}',
      expectedResponse: 'invalid',
      delivered: [],
    },
    {
      name: 'an array with an invalid result',
      message: `[${aResult()}, {}, ${aResult()}]`,
      expectedResponse: 'invalid',
      delivered: ['backup'],
    },
  ])(
    'the TCP input responds to $name with "$expectedResponse" at once',
    async ({ message, expectedResponse, delivered }) => {
      const bench = await aBench(openTcpInput);
      const socket = await connected(bench.port);
      socket.write(message);
      expect(await text(socket)).toBe(expectedResponse);
      expect(bench.delivered.map(({ name }) => name)).toEqual(delivered);
    },
  );

  test.each<{ name: string; message: string }>([
    { name: 'the beginning of a result', message: '{"name": "backup", "outp' },
    { name: 'a text that is not JSON', message: 'hello' },
    { name: 'a number', message: '5' },
    { name: 'a concatenation of two results', message: aResult() + aResult() },
    { name: 'a text with unbalanced brackets', message: '{]' },
  ])('the TCP input responds with "invalid" to $name that no bytes follow for half a second', async ({ message }) => {
    const { port, clock, delivered, log } = await aBench(openTcpInput);
    const socket = await connected(port);
    const idle = clock.pending;
    socket.write(message);
    let answer: string | undefined;
    socket.once('data', (data: Buffer) => (answer = data.toString()));
    // The number of timers is unchanged: the timeout for further bytes replaces the timeout for the first byte.
    await vi.waitFor(() => expect(socket.bytesWritten).toBe(message.length));
    expect(clock.pending).toBe(idle);
    await vi.waitFor(() => {
      clock.advance(500);
      expect(answer).toBe('invalid');
    });
    expect(delivered).toEqual([]);
    expect(log.records).toEqual([
      {
        level: 'warn',
        message: 'invalid check result from a local program',
        fields: { input: 'tcp', reason: 'not JSON' },
      },
    ]);
  });

  test('each received piece restarts the half-second timeout of the TCP input', async () => {
    const { port, clock, delivered } = await aBench(openTcpInput);
    const socket = await connected(port);
    const answer = text(socket);
    const pieces = aResult({ output: 'ä'.repeat(3) }).match(/.{1,7}/gsu) ?? [];
    for (const [index, piece] of pieces.entries()) {
      socket.write(piece);
      if (index === pieces.length - 1) break;
      // The response to a ping shows that the previous chunk has been read.
      const other = await connected(port);
      other.end('ping');
      expect(await text(other)).toBe('pong');
      clock.advance(499);
    }
    expect(await answer).toBe('ok');
    expect(delivered).toMatchObject([{ output: 'äää' }]);
  });

  test('the TCP input accepts a result that arrives byte by byte', async () => {
    const { port, delivered } = await aBench(openTcpInput);
    const socket = await connected(port);
    for (const byte of Buffer.from(aResult({ output: '„€"\\{[' }))) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    expect(await text(socket)).toBe('ok');
    expect(delivered).toMatchObject([{ output: '„€"\\{[' }]);
  });

  test('the TCP input responds with "invalid" at once when the sender closes after an incomplete result', async () => {
    const { port } = await aBench(openTcpInput);
    const socket = await connected(port);
    socket.end('{"name":');
    expect(await text(socket)).toBe('invalid');
  });

  test('the TCP input rejects a message of more than one mebibyte', async () => {
    const { port, delivered, log } = await aBench(openTcpInput);
    const socket = await connected(port);
    socket.on('error', () => undefined).write(aResult({ output: 'x'.repeat(1024 * 1024) }));
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toBe('invalid');
    expect(delivered).toEqual([]);
    expect(log.records).toMatchObject([{ fields: { reason: 'larger than 1 MiB' } }]);
  });

  test('the TCP input quickly accepts a message of almost one mebibyte in small pieces', async () => {
    const { port, delivered } = await aBench(openTcpInput);
    const socket = await connected(port);
    const message = Buffer.from(`[${Array.from({ length: 15_000 }, (_, at) => aResult({ n: at })).join(',')}]`);
    expect(message.length).toBeLessThan(1024 * 1024);
    const startMs = cpuMs();
    for (let at = 0; at < message.length; at += 64) socket.write(message.subarray(at, at + 64));
    expect(await text(socket)).toBe('ok');
    expect(delivered).toHaveLength(15_000);
    expect(cpuMs() - startMs).toBeLessThan(10_000);
  });

  test('the TCP input closes an idle connection after 30 seconds', async () => {
    const { port, clock } = await aBench(openTcpInput);
    const socket = await connected(port);
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    clock.advance(30_000);
    expect(await text(socket)).toBe('');
    await vi.waitFor(() => expect(clock.pending).toBe(0));
  });

  test('the TCP input does not respond with "ok" to a result that could not be spooled', async () => {
    const { port, log } = await aBench(openTcpInput, async () => await Promise.reject(new Error('disk full')));
    const socket = await connected(port);
    socket.write(aResult());
    const closed = once(
      socket.on('error', () => undefined),
      'close',
    );
    let answer = '';
    socket.on('data', (data: Buffer) => (answer += data.toString()));
    await closed;
    expect(answer).toBe('');
    expect(log.messages('error')).toEqual(['could not write a check result from a local program to disk']);
  });

  test('closing the TCP input closes its connections and leaves no timer behind', async () => {
    const { input, port, clock } = await aBench(openTcpInput);
    const socket = await connected(port);
    socket.on('error', () => undefined);
    await vi.waitFor(() => expect(clock.pending).toBe(1));
    await input[Symbol.asyncDispose]();
    await vi.waitFor(() => expect(socket.destroyed).toBe(true));
    await vi.waitFor(() => expect(clock.pending).toBe(0));
  });
});

async function send(port: number, ...datagrams: string[]): Promise<{ responseCount: number }> {
  const socket = createSocket('udp4');
  const received = { responseCount: 0 };
  socket.on('message', () => (received.responseCount += 1));
  onTestFinished(() => void socket.close());
  for (const datagram of datagrams) {
    await new Promise<void>((resolve, reject) => {
      socket.send(datagram, port, '127.0.0.1', (error) => (error === null ? resolve() : reject(error)));
    });
  }
  return received;
}

describe('UDP', () => {
  test('the UDP input accepts results in datagrams and sends no response', async () => {
    const { port, delivered, log } = await aBench(openUdpInput);
    const heard = await send(
      port,
      'ping',
      aResult({ name: 'a' }),
      `[${aResult({ name: 'b' })},${aResult({ name: 'c' })}]`,
      '{"name": "d", "output": "one\ttwo\nthree"}',
    );
    await vi.waitFor(() => expect(delivered.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']));
    expect(delivered.at(-1)?.output).toBe('one\ttwo\nthree');
    expect(log.records).toEqual([]);
    expect(heard.responseCount).toBe(0);
  });

  test('the UDP input logs an invalid datagram and accepts the next one', async () => {
    const { port, delivered, log } = await aBench(openUdpInput);
    await send(port, '{"name": "a"', '{"name": "a"}', aResult());
    await vi.waitFor(() => expect(delivered).toHaveLength(1));
    expect(log.records.map(({ fields }) => fields)).toEqual([
      { input: 'udp', reason: 'not JSON' },
      { input: 'udp', reason: expect.stringContaining('output') },
    ]);
  });
});

test('the TCP input serves at most 64 connections and accepts another when a connection closes', async () => {
  const { port } = await aBench(openTcpInput);
  const sockets = await Promise.all(Array.from({ length: 64 }, () => connected(port)));
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  const ping = async (): Promise<string> => {
    const socket = await connected(port);
    socket.end('ping');
    return await text(socket);
  };
  expect(await ping().catch(() => 'cut off')).not.toBe('pong');
  expect(sockets.filter(({ closed }) => closed)).toEqual([]);
  sockets[0]?.destroy();
  await vi.waitFor(async () => expect(await ping()).toBe('pong'));
});
