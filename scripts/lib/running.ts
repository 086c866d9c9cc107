import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { z } from 'zod';

/** What a running ./scripts/start leaves in its folder for the next one to find. */
const runningSchema = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  /** Of all backends, with commas. */
  url: z.string().max(1000).optional(),
  daemons: z.array(z.int().positive()),
});
export type Running = z.infer<typeof runningSchema>;

/** The record of the last ./scripts/start, whose processes may be gone by now. */
export function readRunning(file: string): Running | undefined {
  try {
    return runningSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // Missing, or cut off when the machine went down: in both cases nobody is known to run.
    return undefined;
  }
}

/** Disposing of it removes the record. */
export function recordRunning(file: string, running: Running): Disposable {
  writeFileSync(file, `${JSON.stringify(running)}\n`, { mode: 0o600 });
  return { [Symbol.dispose]: () => rmSync(file, { force: true }) };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether somebody listens on this port of the loopback interface. */
export async function isPortTaken(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
