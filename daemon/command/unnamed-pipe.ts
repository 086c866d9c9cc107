import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { PipeEnds, PipeUse } from './pipe-ends.ts';

/** Descriptors that every shell can name, besides the standard ones. */
const NUMBERS = [3, 4, 5, 6, 7, 8, 9];

/**
 * Opens unnamed pipes. They leave nothing on the disk whenever the program dies. Their reader also sees the end of the
 * data if it opens `/dev/stdin` after everything was written; the reader of a named pipe would wait for another writer.
 *
 * Node.js cannot create them, but a shell can, and Linux lets other processes of the same user open both ends.
 *
 * @returns undefined if there is no `/proc`, or the shell creates no pipes
 */
export async function openUnnamedPipes(uses: readonly PipeUse[]): Promise<PipeEnds[] | undefined> {
  using opened = new DisposableStack();
  const ends: PipeEnds[] = [];
  try {
    while (ends.length < uses.length) {
      ends.push(...(await pipesOfShell(uses.slice(ends.length, ends.length + NUMBERS.length), opened)));
    }
  } catch {
    return undefined;
  }
  opened.move();
  return ends;
}

/** @param opened closes the ends when it is disposed of */
async function pipesOfShell(uses: readonly PipeUse[], opened: DisposableStack): Promise<PipeEnds[]> {
  const numbers = NUMBERS.slice(0, uses.length);
  const shell = spawn('/bin/sh', ['-c', makePipes(numbers)], { stdio: ['pipe', 'pipe', 'ignore'] });
  // A shell that could not be started is detected by its missing pipes.
  shell.on('error', () => undefined);
  // The shell may have ended before its input is closed.
  shell.stdin.on('error', () => undefined);
  try {
    await Promise.race([once(shell.stdout, 'data'), once(shell, 'exit')]);
    return uses.map((use, at) => pipeAt(`/proc/${String(shell.pid)}/fd/${String(numbers[at])}`, use, opened));
  } finally {
    shell.stdin.end();
  }
}

function pipeAt(path: string, use: PipeUse, opened: DisposableStack): PipeEnds {
  const open = (flags: number): number => opened.adopt(openSync(path, flags), closeSync);
  const isOutput = use === 'command writes';
  const reader = open(constants.O_RDONLY | (isOutput ? constants.O_NONBLOCK : 0));
  if (!fstatSync(reader).isFIFO())
    throw new Error('/bin/sh writes here-documents to files instead of pipes: use another shell as /bin/sh');
  emptyPipe(path);
  const writer = open(constants.O_WRONLY | (isOutput ? 0 : constants.O_NONBLOCK));
  return isOutput ? { child: writer, own: reader } : { child: reader, own: writer };
}

/** The content of a here-document: some shells create no pipe for an empty one. */
const CONTENT = '\n';

/** @throws Error if the content is missing */
function emptyPipe(path: string): void {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    readSync(reader, Buffer.alloc(CONTENT.length));
  } finally {
    closeSync(reader);
  }
}

/**
 * Returns a shell script that creates a pipe for each here-document, prints a line when they exist, and runs until its
 * input ends.
 */
function makePipes(numbers: readonly number[]): string {
  const documents = numbers.map((number) => `${String(number)}<<END`).join(' ');
  return `exec ${documents}\n${`${CONTENT}END\n`.repeat(numbers.length)}echo; read -r nothing`;
}
