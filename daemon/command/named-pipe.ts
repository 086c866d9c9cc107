import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

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
  const [ends] = await openEnds(1);
  return pipesOf(ends, hasInput);
}

/**
 * Pipes that are made ahead, since each start of `mkfifo` costs as much as a command itself. They are held open until
 * they are taken, so that nothing of them stays on the disk however the process ends.
 */
export class PipeStock {
  /** How many commands one start is for; each takes four descriptors. */
  static readonly #SIZE = 16;

  readonly #ends: CommandEnds[] = [];
  #refill: Promise<void> | undefined;

  /** @param hasInput whether the child has anything to read */
  async take(hasInput: boolean): Promise<CommandPipes> {
    for (;;) {
      const ends = this.#ends.pop();
      if (ends !== undefined) return pipesOf(ends, hasInput);
      // Whoever finds none waits for the same start.
      this.#refill ??= this.#make();
      await this.#refill;
    }
  }

  async #make(): Promise<void> {
    try {
      this.#ends.push(...(await openEnds(PipeStock.#SIZE)));
    } finally {
      this.#refill = undefined;
    }
  }
}

/** Descriptors of the two ends of a pipe. */
interface Ends {
  readonly child: number;
  readonly own: number;
}

interface CommandEnds {
  readonly output: Ends;
  readonly input: Ends;
}

type Open = (path: string, flags: number) => number;

/** Both pipes of each command, with one start of `mkfifo`. Their names are gone before anybody else can use them. */
async function openEnds(commands: number): Promise<[CommandEnds, ...CommandEnds[]]> {
  const directory = await mkdtemp(join(tmpdir(), 'mon-command-'));
  try {
    const paths = Array.from({ length: commands * 2 }, (_, at) => join(directory, String(at)));
    await run('mkfifo', ['-m', '600', ...paths]);
    using opened = new DisposableStack();
    const open: Open = (path, flags) => opened.adopt(openSync(path, flags), closeSync);
    const ends = Array.from({ length: commands }, (_, at) => ({
      output: openOutput(join(directory, String(2 * at)), open),
      input: openInput(join(directory, String(2 * at + 1)), open),
    }));
    opened.move();
    return ends as [CommandEnds, ...CommandEnds[]];
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function openOutput(path: string, open: Open): Ends {
  // The reader first, and without waiting for a writer.
  const own = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { own, child: open(path, constants.O_WRONLY) };
}

function openInput(path: string, open: Open): Ends {
  // A writer is only let in while there is a reader, and a reader that does not block is of no use to a child.
  const doorOpener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const own = open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    return { own, child: open(path, constants.O_RDONLY) };
  } finally {
    closeSync(doorOpener);
  }
}

function pipesOf({ output, input }: CommandEnds, hasInput: boolean): CommandPipes {
  if (!hasInput) closeSync(input.own);
  return {
    output: { childEnd: output.child, ours: new Socket({ fd: output.own, readable: true, writable: false }) },
    input: hasInput
      ? { childEnd: input.child, ours: new Socket({ fd: input.own, readable: false, writable: true }) }
      : undefined,
    [Symbol.dispose]() {
      closeSync(output.child);
      closeSync(input.child);
    },
  };
}
