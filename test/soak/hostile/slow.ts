import type { Socket } from 'node:net';
import { head, hold, HOLD_MS, holdOpen, noteResponse, open, type Attack, type HostileKind } from './kind.ts';

/** Pause between two bytes, shorter than any timeout that restarts with each byte. */
const DRIP_MS = 500;

/** Sends one byte at a time with pauses, until the connection is closed or `HOLD_MS` have passed. */
async function drip(socket: Socket, text: string, { signal }: Attack): Promise<void> {
  for (let at = 0; at * DRIP_MS < HOLD_MS && !socket.closed && !signal.aborted; at++) {
    socket.write(text[at % text.length] ?? '');
    await hold(DRIP_MS, signal);
  }
}

async function dripping(attack: Attack, beginning: string, text: string): Promise<void> {
  const socket = await open(attack);
  socket.write(beginning);
  const answered = noteResponse(socket, attack);
  await Promise.race([answered, drip(socket, text, attack)]);
  socket.destroy();
}

/** Requests a long list and does not read the response. */
async function readSlowly(attack: Attack, path: string): Promise<void> {
  const socket = await open(attack);
  socket.pause();
  socket.write(head('GET', path, { key: attack.target.keys.admin }));
  await holdOpen(socket, attack);
}

/** Attacks by clients that send or read slowly. */
export const SLOW_KINDS: readonly HostileKind[] = [
  {
    name: 'slow head of a request',
    lanes: 30,
    pauseMs: 50,
    attack: (attack) => dripping(attack, 'GET /events HTTP/1.1\r\nHost: 127.0.0.1\r\n', 'X-Slow: a\r\n'),
  },
  {
    name: 'slow body of a request',
    lanes: 30,
    pauseMs: 50,
    attack: (attack) =>
      dripping(
        attack,
        head('POST', '/results', {
          key: attack.target.keys.submit,
          headers: { 'Content-Type': 'application/json', 'Content-Length': '1000000' },
        }),
        '{"a": 1',
      ),
  },
  {
    name: 'slow reader of a long list',
    lanes: 30,
    pauseMs: 100,
    attack: (attack) =>
      readSlowly(attack, attack.random.pick(['/events', '/results', '/clients', '/api/mon/v1/events'])),
  },
  {
    name: 'slow reader of a dump',
    lanes: 10,
    pauseMs: 100,
    attack: (attack) => readSlowly(attack, `/api/mon/v1/dump/${attack.random.pick(['Entity', 'Event'])}`),
  },
  {
    name: 'many requests on a connection that is not read',
    lanes: 10,
    pauseMs: 100,
    async attack(attack) {
      const socket = await open(attack);
      socket.pause();
      const request = head('GET', '/results', { key: attack.target.keys.read });
      for (let count = 0; count < 20; count++) socket.write(request);
      await holdOpen(socket, attack);
    },
  },
];
