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
interface NamedPipe extends Disposable {
  /** Descriptor of the child's end, which blocks as commands expect; closed when the pipe is disposed of. */
  readonly childEnd: number;
  readonly ours: Socket;
}

/** The pipes of one command. Dispose of them once the child has its ends. */
interface CommandPipes extends Disposable {
  /** What the child writes comes out of `ours`. */
  readonly output: NamedPipe;
  /** What is written into `ours` is what the child reads. */
  readonly input: NamedPipe | undefined;
}

/**
 * Both pipes at once, since each start of `mkfifo` costs as much as the command itself. Their names are gone before
 * anybody else can use them.
 *
 * @param hasInput whether the child has anything to read
 */
export async function openCommandPipes(hasInput: boolean): Promise<CommandPipes> {
  const directory = await mkdtemp(join(tmpdir(), 'mon-command-'));
  try {
    const outputPath = join(directory, 'output');
    const inputPath = join(directory, 'input');
    await run('mkfifo', ['-m', '600', outputPath, ...(hasInput ? [inputPath] : [])]);
    using opened = new DisposableStack();
    const output = openOutputPipe(outputPath);
    opened.use(output);
    const input = hasInput ? opened.use(openInputPipe(inputPath)) : undefined;
    const ends = opened.move();
    return { output, input, [Symbol.dispose]: () => ends.dispose() };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function openOutputPipe(path: string): NamedPipe {
  // The reader first, and without waiting for a writer.
  const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY);
  return namedPipe(writeEnd, new Socket({ fd: readEnd, readable: true, writable: false }));
}

function openInputPipe(path: string): NamedPipe {
  // A writer is only let in while there is a reader, and a reader that does not block is of no use to a child.
  const doorOpener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
  const readEnd = openSync(path, constants.O_RDONLY);
  closeSync(doorOpener);
  return namedPipe(readEnd, new Socket({ fd: writeEnd, readable: false, writable: true }));
}

function namedPipe(childEnd: number, ours: Socket): NamedPipe {
  return { childEnd, ours, [Symbol.dispose]: () => closeSync(childEnd) };
}
