import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { openNamedPipes } from './named-pipe.ts';
import type { PipeEnds, PipeUse } from './pipe-ends.ts';
import { openUnnamedPipes } from './unnamed-pipe.ts';

/**
 * A pipe between this program and a command. Node.js itself creates sockets instead of pipes. With a socket as a
 * standard stream, a command fails as soon as it opens `/dev/stdin`, `/dev/stdout` or `/dev/stderr`, as many checks do.
 */
interface CommandPipe {
  /** The file descriptor of the command's end of the pipe. */
  readonly childEnd: number;
  readonly ours: Socket;
}

/**
 * The pipes of one command. Dispose of them as soon as the command has inherited its ends: this closes the command's
 * ends in this program.
 */
interface CommandPipes extends Disposable {
  /** The pipe for the output of the command, which this program reads from `ours`. */
  readonly output: CommandPipe;
  /**
   * The pipe for the input of the command, which this program writes to `ours`; undefined if the command has no input.
   */
  readonly input: CommandPipe | undefined;
}

/**
 * Opens the pipes of one command.
 *
 * @param hasInput true if the command also needs a pipe for its input
 */
export async function openCommandPipes(hasInput: boolean): Promise<CommandPipes> {
  const [ends] = await openEnds(1, hasInput);
  return toCommandPipes(ends);
}

/**
 * A stock of pipes for commands with input. Pipes are created for many commands at once, because a separate creation
 * for each command would cost as much as the command itself.
 */
export class PipeStock {
  /** Number of commands for which pipes are created at once; each command needs four descriptors. */
  static readonly #SIZE = 14;

  readonly #ends: CommandEnds[] = [];
  #refill: Promise<void> | undefined;

  async take(): Promise<CommandPipes> {
    for (;;) {
      const ends = this.#ends.pop();
      if (ends !== undefined) return toCommandPipes(ends);
      // Callers that find the stock empty at the same time wait for the same refill.
      this.#refill ??= this.#fillStock();
      await this.#refill;
    }
  }

  async #fillStock(): Promise<void> {
    try {
      this.#ends.push(...(await openEnds(PipeStock.#SIZE, true)));
    } finally {
      this.#refill = undefined;
    }
  }
}

interface CommandEnds {
  readonly output: PipeEnds;
  readonly input: PipeEnds | undefined;
}

/** Opens the pipes for the given number of commands. */
async function openEnds(commands: number, hasInput: boolean): Promise<[CommandEnds, ...CommandEnds[]]> {
  const uses: PipeUse[] = hasInput ? ['command writes', 'command reads'] : ['command writes'];
  const all = Array.from({ length: commands }, () => uses).flat();
  const ends = (await openUnnamedPipes(all)) ?? (await openNamedPipes(all));
  return Array.from({ length: commands }, (_, at) => {
    const [output, input] = ends.slice(at * uses.length, (at + 1) * uses.length);
    return { output, input };
  }) as [CommandEnds, ...CommandEnds[]];
}

function toCommandPipes({ output, input }: CommandEnds): CommandPipes {
  return {
    output: { childEnd: output.child, ours: new Socket({ fd: output.own, readable: true, writable: false }) },
    input: input && { childEnd: input.child, ours: new Socket({ fd: input.own, readable: false, writable: true }) },
    [Symbol.dispose]() {
      closeSync(output.child);
      if (input !== undefined) closeSync(input.child);
    },
  };
}
