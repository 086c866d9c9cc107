import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { StormOrder, StormReport } from './feed-storm.ts';

/** A simulated backend that only serves the feed, in a separate process. */
export interface Storm extends AsyncDisposable {
  readonly url: string;
  applyOrder(order: StormOrder): void;
  /**
   * Returns and clears the console's response times to pings, in milliseconds. They show delays of the console's event
   * loop.
   */
  takeAnswerDelays(): readonly number[];
}

export async function startStorm(events: number): Promise<Storm> {
  const child = fork(join(import.meta.dirname, 'feed-storm.ts'), [String(events)]);
  const exited = once(child, 'exit');
  let delaysMs: number[] = [];
  const url = await new Promise<string>((resolve, reject) => {
    child.on('message', (message: StormReport) => {
      if (message.kind === 'listening') resolve(message.url);
      else delaysMs.push(...message.delaysMs);
    });
    exited.then(() => reject(new Error('the storm did not start')), reject);
  });
  return {
    url,
    applyOrder: (order) => void child.send(order),
    takeAnswerDelays() {
      const taken = delaysMs;
      delaysMs = [];
      return taken;
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}
