import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { SpoolTrouble } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { builtProgram } from './built-programs.ts';
import type { SpoolCommand } from './spool-host.ts';

interface Answer {
  readonly answer: unknown;
  readonly name: string;
  readonly lastId: number;
  readonly size: number;
  readonly trouble?: SpoolTrouble;
}

/** A result that was read from the spool. */
export interface HeldResult {
  readonly id: number;
  readonly output: unknown;
}

/** An agent's spool in a separate process, so that a failing disk does not affect the test's process. */
export class HostedSpool {
  name = '';
  lastId = 0;
  size = 0;
  trouble: SpoolTrouble | undefined;
  readonly #child: ChildProcess;
  readonly #answers: AsyncIterator<string>;

  private constructor(child: ChildProcess, answers: AsyncIterator<string>) {
    this.#child = child;
    this.#answers = answers;
  }

  static async open(
    stateDir: string,
    { env = {}, unsavedCharacters }: { env?: Readonly<Record<string, string>>; unsavedCharacters?: number } = {},
  ): Promise<HostedSpool> {
    const args = unsavedCharacters === undefined ? [] : [String(unsavedCharacters)];
    const child = spawn(process.execPath, [builtProgram('spool-host'), stateDir, ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    const spool = new HostedSpool(child, createInterface(child.stdout)[Symbol.asyncIterator]());
    onTestFinished(() => spool.kill());
    await spool.refresh();
    return spool;
  }

  async append(...results: readonly SubmittedResult[]): Promise<number[]> {
    return (await this.#ask({ do: 'append', results })) as number[];
  }

  async acknowledge(id: number): Promise<void> {
    await this.#ask({ do: 'acknowledge', id });
  }

  async rename(acked: number): Promise<void> {
    await this.#ask({ do: 'rename', acked });
  }

  async read(afterId = 0): Promise<HeldResult[]> {
    const results = (await this.#ask({ do: 'read', afterId })) as { readonly id: number; readonly text: string }[];
    return results.map(({ id, text }) => ({ id, output: (JSON.parse(text) as SubmittedResult).output }));
  }

  async outputs(): Promise<unknown[]> {
    return (await this.read()).map(({ output }) => output);
  }

  /** Updates the state of the spool, and returns its current problem; `undefined` if there is none. */
  async refresh(): Promise<SpoolTrouble | undefined> {
    await this.#ask({ do: 'read', afterId: Number.MAX_SAFE_INTEGER });
    return this.trouble;
  }

  async close(): Promise<void> {
    await this.#ask({ do: 'close' });
    await this.kill();
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    this.#child.kill('SIGKILL');
    await once(this.#child, 'exit');
  }

  async #ask(command: SpoolCommand): Promise<unknown> {
    this.#child.stdin?.write(`${JSON.stringify(command)}\n`);
    const line = await this.#answers.next();
    if (line.done === true) throw new Error('the process of the spool has ended');
    const { answer, ...state } = JSON.parse(line.value) as Answer;
    this.name = state.name;
    this.lastId = state.lastId;
    this.size = state.size;
    this.trouble = state.trouble;
    return answer;
  }
}
