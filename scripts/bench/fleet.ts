import { fork } from 'node:child_process';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FleetOrder, FleetReport } from './fleet-process.ts';

const POLL_INTERVAL_MS = 50;

/** Idle agents in a separate process, which has its own limit of file descriptors. */
export interface Fleet extends AsyncDisposable {
  /**
   * Resolves when all agents are connected at the same time.
   *
   * @throws Error after the timeout
   */
  untilConnected(timeoutMs: number): Promise<void>;
  /** Number of agents that are connected to a backend. */
  readonly connected: number;
}

export function startFleet(order: FleetOrder): Fleet {
  const child = fork(join(import.meta.dirname, 'fleet-process.ts'), [JSON.stringify(order)]);
  const { promise: gone, resolve: isGone } = Promise.withResolvers<void>();
  child.once('exit', () => isGone());
  let connected = 0;
  child.on('message', (message: FleetReport) => {
    connected = message.connected;
  });
  return {
    get connected() {
      return connected;
    },
    async untilConnected(timeoutMs) {
      const untilMs = performance.now() + timeoutMs;
      while (connected < order.agents) {
        if (child.exitCode !== null) throw new Error('the agents have ended');
        if (performance.now() > untilMs) throw new Error(`only ${String(connected)} agents are connected`);
        await sleep(POLL_INTERVAL_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await gone;
    },
  };
}
