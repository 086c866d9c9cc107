import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { openNamedPipes } from './named-pipe.ts';
import type { PipeEnds, PipeUse } from './pipe-ends.ts';
import { openUnnamedPipes } from './unnamed-pipe.ts';

/**
 * A pipe to or from a command. Node.js creates sockets instead of pipes. With a socket as a standard stream, a command
 * fails as soon as it opens `/dev/stdin`, `/dev/stdout` or `/dev/stderr`, which many checks do.
 */
interface CommandPipe {
  /** The descriptor of the command's end. */
  readonly childEnd: number;
  readonly ours: Socket;
}

/** The pipes of one command. Dispose of them once the command has inherited its ends, which closes those ends here. */
interface CommandPipes extends Disposable {
  /** The output of the command, which is read from `ours`. */
  readonly output: CommandPipe;
  /** The input of the command, which is written to `ours`. */
  readonly input: CommandPipe | undefined;
}

/** @param hasInput whether the command has an input */
export async function openCommandPipes(hasInput: boolean): Promise<CommandPipes> {
  const [ends] = await openEnds(1, hasInput);
  return pipesOf(ends);
}

/**
 * A stock of pipes for commands with input. They are created in advance and in groups, because creating them costs as
 * much as a command.
 */
export class PipeStock {
  /** The number of commands for which one call creates pipes; each takes four descriptors. */
  static readonly #SIZE = 14;

  readonly #ends: CommandEnds[] = [];
  #refill: Promise<void> | undefined;

  async take(): Promise<CommandPipes> {
    for (;;) {
      const ends = this.#ends.pop();
      if (ends !== undefined) return pipesOf(ends);
      // Callers that find the stock empty share one refill.
      this.#refill ??= this.#make();
      await this.#refill;
    }
  }

  async #make(): Promise<void> {
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

/** Opens the pipes for a number of commands. */
async function openEnds(commands: number, hasInput: boolean): Promise<[CommandEnds, ...CommandEnds[]]> {
  const uses: PipeUse[] = hasInput ? ['command writes', 'command reads'] : ['command writes'];
  const all = Array.from({ length: commands }, () => uses).flat();
  const ends = (await openUnnamedPipes(all)) ?? (await openNamedPipes(all));
  return Array.from({ length: commands }, (_, at) => {
    const [output, input] = ends.slice(at * uses.length, (at + 1) * uses.length);
    return { output, input };
  }) as [CommandEnds, ...CommandEnds[]];
}

function pipesOf({ output, input }: CommandEnds): CommandPipes {
  return {
    output: { childEnd: output.child, ours: new Socket({ fd: output.own, readable: true, writable: false }) },
    input: input && { childEnd: input.child, ours: new Socket({ fd: input.own, readable: false, writable: true }) },
    [Symbol.dispose]() {
      closeSync(output.child);
      if (input !== undefined) closeSync(input.child);
    },
  };
}
