/** @module-tag slow */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openHttpInput } from '../../daemon/agent/inputs/http-input.ts';
import { acceptLocalResults } from '../../daemon/agent/inputs/local-result.ts';
import { openTcpInput, openUdpInput } from '../../daemon/agent/inputs/socket-input.ts';
import { parseJsonWithRawControls } from '../../shared/domain/raw-control-characters.ts';
import { resultSchema, type SubmittedResult } from '../../shared/schemas/result.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { RecordedLog } from '../support/recorded-log.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 40;
const AT_ONCE = 8;
/** Maximum payload of a UDP datagram over IPv4, in bytes. */
const DATAGRAM_BYTES_MAX = 65_507;
const LOCALHOST = '127.0.0.1';
/** Idle time in milliseconds that exceeds every timeout of the agent's input sockets. */
const MUTE_MS = 60_000;

/** Generates messages of a local program, from valid results to random bytes. */
class MessageGenerator {
  readonly #random: RandomChoices;
  #count = 0;

  constructor(random: RandomChoices) {
    this.#random = random;
  }

  message(): Buffer {
    const random = this.#random;
    switch (random.below(8)) {
      case 0:
        return Buffer.from(random.pick(['ping', ' ping\n', 'pin', 'pingping', 'PING']));
      case 1:
        return Buffer.from(JSON.stringify(Array.from({ length: random.below(6) }, () => this.#value())));
      case 2:
        return this.#mutate(Buffer.from(JSON.stringify(this.#randomResult())));
      case 3:
        return Buffer.from(Array.from({ length: random.below(200) }, () => random.below(256)));
      case 4:
        return Buffer.from(JSON.stringify(this.#randomResult()) + random.pick([' \n', '\0', '{}', 'x', ',', ']']));
      case 5:
        return Buffer.from('[{'.repeat(random.below(3000)) + random.pick(['', ']', '}]']));
      default:
        return Buffer.from(JSON.stringify(this.#value()));
    }
  }

  /** Splits the message into chunks of random length. */
  splitRandomly(message: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    for (let at = 0; at < message.length;) {
      const length = 1 + this.#random.below(this.#random.pick([1, 8, message.length]));
      pieces.push(message.subarray(at, at + length));
      at += length;
    }
    return pieces;
  }

  #value(): unknown {
    return this.#random.below(4) === 0
      ? this.#random.pick<unknown>([5, null, 'x', [], {}, true])
      : this.#randomResult();
  }

  #randomResult(): unknown {
    const { pick, below } = {
      pick: this.#random.pick.bind(this.#random),
      below: this.#random.below.bind(this.#random),
    };
    this.#count += 1;
    return {
      name: pick(['a', 'a-b.c', 'a b', '', `n${String(this.#count)}`]),
      output: pick(['ok', 'ä€„\u{1F600}', '}]"\\', '\u001b[2J', '', 'x'.repeat(below(3000))]),
      ...pick<object>([{}, { status: below(4) }, { status: '2' }, { status: null }, { executed: 1.5 }]),
      ...pick<object>([{}, { source: 'nas' }, { source: 'n s' }, { handlers: [] }, { ttl: 0 }, { own: { deep: [1] } }]),
    };
  }

  #mutate(message: Buffer): Buffer {
    for (let times = this.#random.below(4); times > 0; times -= 1) {
      message[this.#random.below(message.length)] = this.#random.below(256);
    }
    return message.subarray(0, message.length - this.#random.below(3));
  }
}

/** Returns the response that the agent must send to a message, and the number of results that it must accept. */
function expectedResponse(message: Buffer): { readonly answer: string; readonly results: number } {
  const text = message.toString('utf8');
  if (text.trim() === 'ping') return { answer: 'pong', results: 0 };
  let value: unknown;
  try {
    value = parseJsonWithRawControls(text);
  } catch {
    return { answer: 'invalid', results: 0 };
  }
  if (typeof value !== 'object' || value === null) return { answer: 'invalid', results: 0 };
  const items: unknown[] = Array.isArray(value) ? value : [value];
  const bad = items.findIndex((item) => !resultSchema.safeParse(item).success);
  return bad === -1 ? { answer: 'ok', results: items.length } : { answer: 'invalid', results: bad };
}

/**
 * True if a prefix of the message is itself a complete message, so the agent may respond before it has read the
 * remaining bytes.
 */
function mayEndEarly(message: Buffer): boolean {
  for (let end = 1; end < message.length; end += 1) {
    const text = message.toString('utf8', 0, end);
    if (
      /[\]}g]$/.test(text) &&
      expectedResponse(Buffer.from(text)).answer !== expectedResponse(message).answer &&
      isMessage(text)
    )
      return true;
  }
  return false;
}

function isMessage(text: string): boolean {
  if (text.trim() === 'ping') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

async function waitForClose(socket: Socket): Promise<void> {
  // A connection that ends with an error counts as closed.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()));
}

async function sendOverTcp(port: number, pieces: readonly Buffer[], onSaid: () => void): Promise<string> {
  const socket = connect(port, LOCALHOST).setNoDelay();
  let answer = '';
  socket.on('data', (data: Buffer) => (answer += data.toString()));
  const over = waitForClose(socket);
  await once(socket, 'connect');
  for (const piece of pieces) {
    // The agent may respond before everything was sent.
    if (answer !== '') break;
    await new Promise((resolve) => void socket.write(piece, resolve));
  }
  onSaid();
  await over;
  return answer;
}

async function sendOverHttp(port: number, message: Buffer): Promise<number> {
  const answer = await fetch(`http://${LOCALHOST}:${String(port)}/results`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: new Uint8Array(message),
  });
  await answer.arrayBuffer();
  return answer.status;
}

/** Sends bytes that need not be valid HTTP, and waits until the connection is closed. */
async function sendRaw(port: number, message: Buffer): Promise<void> {
  const socket = connect(port, LOCALHOST);
  const over = waitForClose(socket);
  socket.resume().end(message);
  await over;
}

test(
  'local programs get the right responses for any input, and a valid result is accepted exactly once',
  async () => {
    const random = new RandomChoices(seed());
    const speaker = new MessageGenerator(random);
    const clock = new ManualClock();
    const log = new RecordedLog();
    const delivered: SubmittedResult[] = [];
    const deliver = async (result: SubmittedResult): Promise<void> => {
      delivered.push(await Promise.resolve(result));
    };
    const accept = async (message: unknown): Promise<void> => await acceptLocalResults(message, { clock, deliver });
    const anywhere = { bind: LOCALHOST, port: 0 };
    const tcp = await openTcpInput(anywhere, { clock, log, accept });
    const udp = await openUdpInput(anywhere, { clock, log, accept });
    const spool = { isConnected: () => true, waiting: () => 0, spoolTrouble: () => undefined };
    const endpoints = { settings: {}, redactKeys: new Set<string>(), ...spool };
    const http = await openHttpInput(anywhere, { log, accept, ...endpoints });
    const datagrams = createSocket('udp4');
    onTestFinished(async () => {
      datagrams.close();
      await Promise.all([tcp, udp, http].map((input) => input[Symbol.asyncDispose]()));
    });

    for (let round = 0; round < rounds(ROUNDS); round += 1) {
      delivered.length = 0;
      let expected = 0;
      let speaking = AT_ONCE;
      const { promise: allSaid, resolve } = Promise.withResolvers<void>();
      const onSaid = (): void => {
        speaking -= 1;
        if (speaking === 0) resolve();
      };
      const heard = Array.from({ length: AT_ONCE }, async () => {
        const message = speaker.message();
        const { answer, results } = expectedResponse(message);
        expected += results;
        const pieces = mayEndEarly(message) ? [message] : speaker.splitRandomly(message);
        // The agent closes a connection that sent nothing without a response.
        return {
          message: message.toString(),
          expected: message.length === 0 ? '' : answer,
          answer: await sendOverTcp(tcp.port, pieces, onSaid),
        };
      });
      const asked = Array.from({ length: AT_ONCE }, async () => {
        const message = speaker.message();
        const { answer, results } = expectedResponse(message);
        expected += results;
        expect(await sendOverHttp(http.port, message)).toBe(answer === 'ok' ? 202 : 400);
      });
      const datagram = speaker.message();
      if (datagram.length <= DATAGRAM_BYTES_MAX) {
        expected += expectedResponse(datagram).results;
        datagrams.send(datagram, udp.port, LOCALHOST);
      }
      const others = Promise.all([...asked, sendRaw(http.port, speaker.message())]);
      await allSaid;
      // When the response to this ping arrives, the agent has read everything sent before it. The clock then advances
      // beyond the idle timeouts.
      expect(await sendOverTcp(tcp.port, [Buffer.from('ping')], () => undefined)).toBe('pong');
      clock.advance(MUTE_MS);
      for (const said of await Promise.all(heard)) expect(said).toEqual({ ...said, answer: said.expected });
      await others;
      await vi.waitFor(() => expect(delivered).toHaveLength(expected));
      for (const result of delivered) expect(resultSchema.safeParse(result).success).toBe(true);
      await vi.waitFor(() => {
        clock.advance(MUTE_MS);
        expect(clock.pending).toBe(0);
      });
    }

    expect(log.records.filter(({ level }) => level === 'error')).toEqual([]);
  },
  roundsTimeoutMs(ROUNDS, 2000),
);
