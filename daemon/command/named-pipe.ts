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
export interface NamedPipe extends Disposable {
  /** Descriptor of the child's end, which blocks as commands expect. Dispose of the pipe, which closes it, once the child has it. */
  readonly childEnd: number;
  readonly ours: Socket;
}

/** What a child writes comes out of `ours`. */
export async function openOutputPipe(): Promise<NamedPipe> {
  return await openPipe((path) => {
    // The reader first, and without waiting for a writer.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY);
    return namedPipe(writeEnd, new Socket({ fd: readEnd, readable: true, writable: false }));
  });
}

/** What is written into `ours` is what a child reads. */
export async function openInputPipe(): Promise<NamedPipe> {
  return await openPipe((path) => {
    // A writer is only let in while there is a reader, and a reader that does not block is of no use to a child.
    const doorOpener = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    const readEnd = openSync(path, constants.O_RDONLY);
    closeSync(doorOpener);
    return namedPipe(readEnd, new Socket({ fd: writeEnd, readable: false, writable: true }));
  });
}

function namedPipe(childEnd: number, ours: Socket): NamedPipe {
  return { childEnd, ours, [Symbol.dispose]: () => closeSync(childEnd) };
}

/** The name of the pipe is gone before anybody else can use it. */
async function openPipe(open: (path: string) => NamedPipe): Promise<NamedPipe> {
  const directory = await mkdtemp(join(tmpdir(), 'mon-command-'));
  try {
    const path = join(directory, 'pipe');
    await run('mkfifo', ['-m', '600', path]);
    return open(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
