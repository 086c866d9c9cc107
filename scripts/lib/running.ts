import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { z } from 'zod';

/** The record that a running ./scripts/start writes to `var`, so that another start can find it. */
const runningSchema = z.object({
  pid: z.int().positive(),
  port: z.int().positive(),
  /** URLs of all backends, separated by commas. */
  url: z.string().max(1000).optional(),
  daemons: z.array(z.int().positive()),
});
export type RunningBackends = z.infer<typeof runningSchema>;

/** Returns the record of the last ./scripts/start, whose processes may have ended; `undefined` if there is none. */
export function readRunning(file: string): RunningBackends | undefined {
  try {
    return runningSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // The file is missing, or it was truncated when the machine crashed: there is no record.
    return undefined;
  }
}

/** Writes the record of this ./scripts/start. Disposing of the returned object removes the file. */
export function recordRunning(file: string, running: RunningBackends): Disposable {
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

/** Returns whether a process listens on this port of the loopback interface. */
export async function isPortTaken(port: number): Promise<boolean> {
  const socket = createConnection({ host: '127.0.0.1', port });
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true));
  socket.once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
