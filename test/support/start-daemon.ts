import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { programArguments } from './built-programs.ts';

const recordSchema = z.looseObject({
  level: z.string(),
  message: z.string(),
  url: z.string().optional(),
  agent_url: z.string().optional(),
});
type LogRecord = z.infer<typeof recordSchema>;

export interface DaemonProcess extends AsyncDisposable {
  /** URL of the API. */
  readonly url: string;
  /** URL of the listener for agents; `undefined` if there is none. */
  readonly agentUrl: string | undefined;
  readonly pid: number;
  /** All log records so far. */
  readonly records: readonly LogRecord[];
  /** Standard error of the program; `undefined` while the program runs. */
  readonly lastWords: string | undefined;
  /** Sends a signal, and waits until the process has ended. */
  end(signal: NodeJS.Signals): Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/**
 * Starts the backend program as a separate process. Disposing of it kills the process.
 *
 * @throws Error with its output if the program ends before it serves requests
 */
export async function startDaemon(options: {
  readonly stateDir: string;
  /** TCP port of the API; default: a free port. */
  readonly port?: number;
  /** Additional arguments of `mon-backend start`. */
  readonly args?: readonly string[];
  /** Maximum number of open files (`ulimit -n`); default: the limit of the tests. */
  readonly openFiles?: number;
  /** Path of the program; default: the built `mon-backend`. */
  readonly program?: string;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Called as soon as the process exists. `kill` sends a signal to it, by default SIGKILL. */
  readonly onSpawn?: (kill: (signal?: NodeJS.Signals) => void) => void;
}): Promise<DaemonProcess> {
  const limit = options.openFiles === undefined ? '' : `ulimit -n ${String(options.openFiles)} && `;
  const child = spawn(
    'sh',
    [
      '-c',
      `${limit}exec "$0" "$@"`,
      process.execPath,
      ...(options.program === undefined ? programArguments('mon-backend') : [options.program]),
      'start',
      '--state-dir',
      options.stateDir,
      '--port',
      String(options.port ?? 0),
      ...(options.args ?? []),
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...options.env } },
  );
  const ended = endOf(child);
  options.onSpawn?.((signal = 'SIGKILL') => void child.kill(signal));
  const records: LogRecord[] = [];
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const { promise: served, resolve } = Promise.withResolvers<LogRecord & { readonly url: string }>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const record = recordSchema.parse(JSON.parse(line));
    records.push(record);
    const { url } = record;
    if (record.message === 'backend started' && url !== undefined) resolve({ ...record, url });
  });
  const failed = ended.then(({ code }) => {
    throw new Error(`the backend ended with ${String(code)} before it served: ${stderr}${JSON.stringify(records)}`);
  });
  // When the backend serves requests, the end of its process is no longer a failed start.
  failed.catch(() => undefined);
  const { url, agent_url: agentUrl } = await Promise.race([served, failed]);
  const end = async (signal: NodeJS.Signals): ReturnType<DaemonProcess['end']> => {
    child.kill(signal);
    return ended;
  };
  return {
    url,
    agentUrl,
    pid: child.pid ?? 0,
    records,
    get lastWords() {
      return child.exitCode === null && child.signalCode === null ? undefined : stderr;
    },
    end,
    [Symbol.asyncDispose]: async () => void (await end('SIGKILL')),
  };
}

async function endOf(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}
