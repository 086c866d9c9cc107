import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openUnnamedPipes, type PipeEnds } from './unnamed-pipe.ts';

const run = promisify(execFile);

/**
 * A pipe with one end for a child, the other for us. What Node calls a pipe is a socket, and a command with a socket for
 * a standard stream fails as soon as it opens `/dev/stdin`, `/dev/stdout` or `/dev/stderr`, which many checks do.
 */
interface NamedPipe {
  /** Descriptor of the child's end, which blocks as commands expect. */
  readonly childEnd: number;
  readonly ours: Socket;
}

/** The pipes of one command. Dispose of them once the child has its ends: that closes ours of those. */
interface CommandPipes extends Disposable {
  /** What the child writes comes out of `ours`. */
  readonly output: NamedPipe;
  /** What is written into `ours` is what the child reads. */
  readonly input: NamedPipe | undefined;
}

/** @param hasInput whether the child has anything to read */
export async function openCommandPipes(hasInput: boolean): Promise<CommandPipes> {
  const [ends] = await openEnds(1, hasInput);
  return pipesOf(ends);
}

/**
 * Pipes for commands with input. They are made ahead, since what makes them costs as much as a command itself, and held
 * open until they are taken, so that nothing of them stays on the disk however the process ends.
 */
export class PipeStock {
  /** How many commands are provided for at once; each takes four descriptors. */
  static readonly #SIZE = 14;

  readonly #ends: CommandEnds[] = [];
  #refill: Promise<void> | undefined;

  async take(): Promise<CommandPipes> {
    for (;;) {
      const ends = this.#ends.pop();
      if (ends !== undefined) return pipesOf(ends);
      // Whoever finds none waits for the same ones.
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

type Open = (path: string, flags: number) => number;

/** The pipes of each command. Names are gone before anybody else can use them. */
async function openEnds(commands: number, hasInput: boolean): Promise<[CommandEnds, ...CommandEnds[]]> {
  const directory = await mkdtemp(join(tmpdir(), 'mon-command-'));
  try {
    const names = Array.from({ length: commands }, (_, at) => ({
      output: join(directory, `output-${String(at)}`),
      input: join(directory, `input-${String(at)}`),
    }));
    // One start for all, since each costs as much as a command itself.
    await run('mkfifo', [
      '-m',
      '600',
      ...names.flatMap(({ output, input }) => (hasInput ? [output, input] : [output])),
    ]);
    const unnamed = hasInput ? await openUnnamedPipes(commands) : undefined;
    using opened = new DisposableStack();
    for (const { child, own } of unnamed ?? []) {
      opened.adopt(child, closeSync);
      opened.adopt(own, closeSync);
    }
    const open: Open = (path, flags) => opened.adopt(openSync(path, flags), closeSync);
    const ends = names.map(({ output, input }, at) => ({
      output: openOutput(output, open),
      input: hasInput ? (unnamed?.[at] ?? openInput(input, open)) : undefined,
    }));
    opened.move();
    return ends as [CommandEnds, ...CommandEnds[]];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function openOutput(path: string, open: Open): PipeEnds {
  // The reader first, and without waiting for a writer.
  const own = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { own, child: open(path, constants.O_WRONLY) };
}

function openInput(path: string, open: Open): PipeEnds {
  // A writer is only let in while there is a reader, and a reader that does not block is of no use to a child.
  const doorOpener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const own = open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    return { own, child: open(path, constants.O_RDONLY) };
  } finally {
    closeSync(doorOpener);
  }
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
