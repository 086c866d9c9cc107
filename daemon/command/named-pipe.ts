import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { PipeEnds, PipeUse } from './pipe-ends.ts';

const runProgram = promisify(execFile);

/**
 * Opens named pipes, for systems on which `openUnnamedPipes` fails. Their names are in a private directory and are
 * removed as soon as both ends of all pipes are open.
 *
 * @throws Error if the names cannot be created, for example because the disk is full
 */
export async function openNamedPipes(uses: readonly PipeUse[]): Promise<PipeEnds[]> {
  const directory = await mkdtemp(join(tmpdir(), 'mon-command-'));
  try {
    const names = uses.map((_, at) => join(directory, String(at)));
    await runProgram('mkfifo', ['-m', '600', ...names]);
    using opened = new DisposableStack();
    const open: OpenFile = (path, flags) => opened.adopt(openSync(path, flags), closeSync);
    const ends = uses.map((use, at) => {
      const name = join(directory, String(at));
      return use === 'command writes' ? openOutput(name, open) : openInput(name, open);
    });
    opened.move();
    return ends;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

type OpenFile = (path: string, flags: number) => number;

function openOutput(path: string, open: OpenFile): PipeEnds {
  // The reader is opened first and without blocking, because opening a writer waits for a reader.
  const own = open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { own, child: open(path, constants.O_WRONLY) };
}

function openInput(path: string, open: OpenFile): PipeEnds {
  // A non-blocking writer can be opened only while a reader exists, and commands need a blocking reader. So a temporary
  // non-blocking reader is opened first.
  const firstReader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const own = open(path, constants.O_WRONLY | constants.O_NONBLOCK);
    return { own, child: open(path, constants.O_RDONLY) };
  } finally {
    closeSync(firstReader);
  }
}
