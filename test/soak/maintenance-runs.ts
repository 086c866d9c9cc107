import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { vi } from 'vitest';
import { placesEnv } from '../support/administrator.ts';
import { PATIENCE } from '../support/patience.ts';
import { MONCTL } from '../support/run-monctl.ts';
import type { RandomChoices } from './random-choices.ts';

/** Maximum time in milliseconds that a silence outlives its killed command (maintenance 2). */
const HELD_MS = 60_000;

/** An exit code that only the maintained commands return. */
const EXIT_CODE = 7;

interface Run {
  readonly client: string;
  readonly child: ChildProcess;
  readonly ended: Promise<unknown>;
  /** Time of the kill in epoch milliseconds; `undefined` if the command was not killed. */
  killedAtMs: number | undefined;
}

/**
 * Commands under `monctl maintenance run`, which silences a client while its command runs. Some commands end, some are
 * killed, and the backend is killed meanwhile.
 */
export class MaintenanceRuns implements AsyncDisposable {
  /** Number of commands that were killed. */
  killed = 0;
  readonly #clients: readonly string[];
  readonly #random: RandomChoices;
  #runs: Run[] = [];

  /**
   * Creates the scenario without running commands.
   *
   * @param clients names of the clients; each is silenced by at most one command at a time
   */
  constructor(clients: readonly string[], random: RandomChoices) {
    this.#clients = clients;
    this.#random = random;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#runs.map(end));
  }

  /** Starts a command for a client that has none, and waits for its silence. Does nothing if each client has one. */
  async begin(url: string): Promise<void> {
    const free = this.#clients.find((client) => this.#runs.every((run) => run.client !== client));
    if (free === undefined) return;
    const words = [
      'maintenance',
      'run',
      '--client',
      free,
      '--max',
      '1h',
      '--',
      'sh',
      '-c',
      `read word; exit ${String(EXIT_CODE)}`,
    ];
    const child = spawn(process.execPath, [MONCTL, ...words], {
      env: { PATH: process.env['PATH'], ...placesEnv(), MON_BACKEND: url },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    const run: Run = { client: free, child, ended: once(child, 'close'), killedAtMs: undefined };
    this.#runs.push(run);
    await this.#expectHeld(url, run);
  }

  /** Randomly kills one command, ends one, or does nothing. The backend must be running. */
  async disturb(url: string): Promise<void> {
    const run = this.#runs.find(({ killedAtMs }) => killedAtMs === undefined);
    const dice = this.#random.below(3);
    if (run === undefined || dice === 0) return;
    if (dice === 1) {
      this.killed++;
      run.child.kill('SIGKILL');
      await end(run);
      run.killedAtMs = Date.now();
      return;
    }
    await end(run);
    assert.equal(run.child.exitCode, EXIT_CODE);
    assert.equal(await silenceOf(url, run.client), undefined);
    this.#runs = this.#runs.filter((other) => other !== run);
  }

  /**
   * Checks that the client of each running command is silenced, and that a silence of a killed command ends within a
   * minute.
   */
  async compare(url: string): Promise<void> {
    for (const run of this.#runs) {
      const { killedAtMs } = run;
      if (killedAtMs === undefined) {
        await this.#expectHeld(url, run);
        continue;
      }
      const lastMs = killedAtMs + HELD_MS;
      const silence = await silenceOf(url, run.client);
      assert.ok((silence?.expire_at ?? 0) * 1000 <= lastMs, `${run.client} is silenced for longer than a minute`);
      if (Date.now() <= lastMs) continue;
      assert.equal(silence, undefined);
      this.#runs = this.#runs.filter((other) => other !== run);
    }
  }

  /** Ends all running commands, and checks their exit codes. */
  async finish(): Promise<void> {
    const living = this.#runs.filter(({ killedAtMs }) => killedAtMs === undefined);
    await Promise.all(living.map(end));
    for (const { child } of living) assert.equal(child.exitCode, EXIT_CODE);
    this.#runs = this.#runs.filter(({ killedAtMs }) => killedAtMs !== undefined);
  }

  async #expectHeld(url: string, { client }: Run): Promise<void> {
    await vi.waitFor(async () => {
      assert.partialDeepStrictEqual(await silenceOf(url, client), { reason: 'maintenance: sh' });
    }, PATIENCE);
  }
}

/** Ends a command by closing its standard input. */
async function end({ child, ended }: Run): Promise<void> {
  child.stdin?.end();
  await ended;
}

async function silenceOf(url: string, client: string): Promise<{ readonly expire_at: number } | undefined> {
  const answer = await fetch(`${url}/api/mon/v1/silenced/client:${client}:*`);
  const body: unknown = await answer.json();
  return answer.status === 404 ? undefined : (body as { readonly expire_at: number });
}
