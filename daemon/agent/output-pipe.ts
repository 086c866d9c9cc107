import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** What a child writes into `writeEnd` comes out of `readable`. Dispose of it, which closes our write end, once the child has it. */
export interface OutputPipe extends Disposable {
  readonly writeEnd: number;
  readonly readable: Socket;
}

/**
 * A pipe. What Node calls a pipe is a socket, and a command with a socket for its standard streams fails as soon as it
 * opens `/dev/stdout` or `/dev/stderr`, which many checks do. The name of this one is gone before anybody can use it.
 */
export async function openOutputPipe(): Promise<OutputPipe> {
  const directory = await mkdtemp(join(tmpdir(), 'mon-agent-'));
  try {
    const path = join(directory, 'output');
    await run('mkfifo', ['-m', '600', path]);
    // The reader first, and without waiting for a writer. The writer blocks when the pipe is full, as commands expect.
    const readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const writeEnd = openSync(path, constants.O_WRONLY);
    return {
      writeEnd,
      readable: new Socket({ fd: readEnd, readable: true, writable: false }),
      [Symbol.dispose]: () => closeSync(writeEnd),
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
