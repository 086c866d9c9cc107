import { head, hold, holdOpen, noteResponse, open, type HostileKind } from './kind.ts';

/** Number of connections that one flood opens at the same time. */
const FLOOD = 100;

const WEB_SOCKET = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

const H2C = { Connection: 'Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AAMAAABkAAQCAAAAAAIAAAAA' };

/** Attacks that open many connections, or hold connections open. */
export const CONNECTION_KINDS: readonly HostileKind[] = [
  {
    name: 'refused upgrade that is held open',
    lanes: 40,
    pauseMs: 50,
    async attack(attack) {
      const path = attack.random.pick(['/nowhere', '/agent', '/api/mon/v1/feed']);
      const socket = await open(attack, { allowHalfOpen: true });
      socket.write(head('GET', path, { headers: WEB_SOCKET }));
      await noteResponse(socket, attack);
      await holdOpen(socket, attack);
    },
  },
  {
    name: 'refused upgrade on the port of agents',
    lanes: 20,
    pauseMs: 50,
    async attack(attack) {
      const socket = await open(attack, { port: attack.target.agentPort, allowHalfOpen: true });
      socket.write(head('GET', '/', { headers: WEB_SOCKET }));
      await noteResponse(socket, attack);
      await holdOpen(socket, attack);
    },
  },
  {
    name: 'h2c upgrade',
    lanes: 10,
    pauseMs: 100,
    async attack(attack) {
      const socket = await open(attack, { allowHalfOpen: true });
      socket.write(head('GET', '/version', { headers: H2C }));
      await noteResponse(socket, attack);
      await holdOpen(socket, attack, 5000);
    },
  },
  {
    name: 'half-open connection',
    lanes: 40,
    pauseMs: 50,
    async attack(attack) {
      const socket = await open(attack, { allowHalfOpen: true });
      if (attack.random.below(2) === 0) socket.write('GET /events HTTP/1.1\r\n');
      socket.end();
      await holdOpen(socket, attack);
    },
  },
  {
    name: 'silent connection',
    lanes: 40,
    pauseMs: 50,
    async attack(attack) {
      const port = attack.random.pick([attack.target.port, attack.target.agentPort]);
      await holdOpen(await open(attack, { port }), attack);
    },
  },
  {
    name: 'flood of connections',
    lanes: 1,
    pauseMs: 500,
    async attack(attack) {
      const sockets = await Promise.allSettled(Array.from({ length: FLOOD }, () => open(attack)));
      await hold(200, attack.signal);
      for (const socket of sockets) {
        if (socket.status === 'rejected' || socket.value.closed) attack.note('cut');
        else attack.note('answered');
        if (socket.status === 'fulfilled') socket.value.destroy();
      }
    },
  },
];
