import type { WebSocket } from 'ws';
import { AGENT_NAME_HEADER, AGENT_PATH, AGENT_PROTOCOL } from '../../../shared/schemas/agent.ts';
import { FEED_PATH, FEED_PROTOCOL } from '../../../shared/schemas/feed.ts';
import { hold, HOLD_MS, holdWebSocket, openWebSocket, type Attack, type HostileKind } from './kind.ts';

/** Number of unsent bytes on a connection above which the sender pauses longer. */
const SENT_BYTES_MAX = 4 * 1024 * 1024;

async function openAgent(attack: Attack, name: string, key = attack.target.keys.submit): Promise<WebSocket> {
  const socket = await openWebSocket(attack, AGENT_PATH, {
    protocol: AGENT_PROTOCOL,
    key,
    headers: { [AGENT_NAME_HEADER]: name },
  });
  const client = { name, address: '192.0.2.66', subscriptions: ['hostile'] };
  socket.send(JSON.stringify({ type: 'hello', client, spool: `spool-${String(attack.serial)}` }));
  return socket;
}

function resultsFrame(firstId: number, checks: readonly unknown[]): string {
  return JSON.stringify({ type: 'results', results: checks.map((check, at) => ({ id: firstId + at, check })) });
}

/** Sends frames for up to `HOLD_MS`, as fast as the connection allows. */
async function pour(socket: WebSocket, { signal }: Attack, frame: (count: number) => string): Promise<void> {
  const endsAt = performance.now() + HOLD_MS;
  for (let count = 0; performance.now() < endsAt && socket.readyState === socket.OPEN && !signal.aborted; count++) {
    socket.send(frame(count));
    await hold(socket.bufferedAmount > SENT_BYTES_MAX ? 500 : 5, signal);
  }
}

/** Attacks by agents and feed clients that violate the protocol or do not read. */
export const SOCKET_KINDS: readonly HostileKind[] = [
  {
    name: 'consumer of the feed that stalls',
    lanes: 20,
    pauseMs: 100,
    async attack(attack) {
      const socket = await openWebSocket(attack, FEED_PATH, { protocol: FEED_PROTOCOL, key: attack.target.keys.read });
      socket.send(JSON.stringify({ type: 'subscribe', topics: ['events', 'clients', 'silenced'] }));
      socket.pause();
      await holdWebSocket(socket, attack);
    },
  },
  {
    name: 'consumer of the feed that says nothing, or too much',
    lanes: 10,
    pauseMs: 100,
    async attack(attack) {
      const socket = await openWebSocket(attack, FEED_PATH, { protocol: FEED_PROTOCOL });
      if (attack.random.below(2) === 0) socket.send('x'.repeat(1024 * 1024));
      await holdWebSocket(socket, attack);
    },
  },
  {
    name: 'agent that sends and does not read',
    lanes: 5,
    pauseMs: 200,
    async attack(attack) {
      const socket = await openAgent(attack, `deaf-${attack.from}-${String(attack.serial % 5)}`);
      socket.pause();
      await pour(socket, attack, (count) =>
        resultsFrame(
          1 + 20 * count,
          Array.from({ length: 20 }, (_, at) => ({ name: `deaf-${String(at)}`, output: 'x'.repeat(200), status: 1 })),
        ),
      );
      attack.note(socket.readyState === socket.OPEN ? 'answered' : 'cut');
      socket.terminate();
    },
  },
  {
    name: 'agent with frames that are too large or too deep',
    lanes: 5,
    pauseMs: 200,
    async attack(attack) {
      const socket = await openAgent(attack, `large-${String(attack.serial % 5)}`);
      const deep = '['.repeat(100_000);
      socket.send(attack.random.pick(['x'.repeat(20 * 1024 * 1024), deep, `{"type":"results","results":${deep}`]));
      await holdWebSocket(socket, attack);
    },
  },
  {
    name: 'agent with invalid results',
    lanes: 5,
    pauseMs: 200,
    async attack(attack) {
      const socket = await openAgent(attack, `invalid-${String(attack.serial % 5)}`);
      await pour(socket, attack, (count) =>
        resultsFrame(
          1 + 20 * count,
          Array.from({ length: 20 }, () =>
            attack.random.pick<object>([{}, { name: 'a b', output: 1 }, { name: '', status: 'x' }]),
          ),
        ),
      );
      attack.note(socket.readyState === socket.OPEN ? 'answered' : 'cut');
      socket.terminate();
    },
  },
  {
    name: 'agent with very many subscriptions',
    lanes: 3,
    pauseMs: 300,
    async attack(attack) {
      const name = `greedy-${String(attack.serial % 30)}`;
      const socket = await openWebSocket(attack, AGENT_PATH, {
        protocol: AGENT_PROTOCOL,
        key: attack.target.keys.submit,
        headers: { [AGENT_NAME_HEADER]: name },
      });
      const count = attack.random.pick([1000, 100_000]);
      const subscriptions = Array.from({ length: count }, (_, at) => `s-${String(attack.serial)}-${String(at)}`);
      const client = { name, address: '192.0.2.66', subscriptions };
      socket.send(JSON.stringify({ type: 'hello', client, spool: 'greedy' }));
      await holdWebSocket(socket, attack, 2000);
    },
  },
  {
    name: 'agent whose key is revoked',
    lanes: 5,
    pauseMs: 200,
    async attack(attack) {
      const socket = await openAgent(attack, `revoked-${String(attack.serial % 5)}`, attack.target.keys.revoked);
      await pour(socket, attack, (count) =>
        resultsFrame(1 + count, [{ name: 'revoked', output: 'still here', status: 2 }]),
      );
      attack.note('cut');
      socket.terminate();
    },
  },
  {
    name: 'nonsense on the port of agents',
    lanes: 5,
    pauseMs: 200,
    async attack(attack) {
      const name = `theirs-${String(attack.serial % 5)}`;
      const socket = await openWebSocket(attack, '/', {
        key: attack.target.keys.submit,
        port: attack.target.agentPort,
        headers: { 'Sensu-AgentName': name, 'Sensu-Namespace': 'default', 'Sensu-Subscriptions': 'hostile' },
      });
      const event = (check: unknown): string =>
        `event\n${JSON.stringify({ timestamp: 1, entity: { metadata: { name, namespace: 'default' } }, check })}`;
      await pour(socket, attack, () => attack.random.pick([event({ status: 'x' }), event(7), 'event\n{', 'x', '\n\n']));
      await holdWebSocket(socket, attack, 1000);
    },
  },
];
