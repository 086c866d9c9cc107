import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { builtProgram } from './built-programs.ts';

const recordSchema = z.looseObject({ level: z.string(), message: z.string() });

export interface AgentProcess extends AsyncDisposable {
  readonly pid: number;
  /** All log records so far. */
  readonly records: readonly z.infer<typeof recordSchema>[];
  readonly kill: (signal: NodeJS.Signals) => void;
  /** Resolves when the process has ended, with its exit code (`null` if a signal ended it) and its standard error. */
  readonly ended: Promise<{ readonly code: number | null; readonly stderr: string }>;
}

/** Starts the agent program as a separate process, which is killed when the test finishes. */
export function startAgent(args: readonly string[], env?: Readonly<Record<string, string>>): AgentProcess {
  const agent = spawnAgent(args, env);
  onTestFinished(() => agent[Symbol.asyncDispose]());
  return agent;
}

/** Starts the agent program as a separate process. Disposing of the result kills it. */
export function spawnAgent(args: readonly string[], env: Readonly<Record<string, string>> = {}): AgentProcess {
  const child = spawn(process.execPath, [builtProgram('mon-agent'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  const records: z.infer<typeof recordSchema>[] = [];
  createInterface(child.stdout).on('line', (line) => {
    // The output of options such as `--help` and `--version` is not JSON.
    records.push(line.startsWith('{') ? recordSchema.parse(JSON.parse(line)) : { level: 'text', message: line });
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = waitFor(child).then((code) => ({ code, stderr }));
  return {
    pid: child.pid ?? 0,
    records,
    kill: (signal) => void child.kill(signal),
    ended,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function waitFor(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'close');
  return typeof code === 'number' ? code : null;
}
