import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import type { PipeEnds, PipeUse } from './pipe-ends.ts';

/** The descriptor numbers above the standard streams that every shell can redirect. */
const DESCRIPTOR_NUMBERS = [3, 4, 5, 6, 7, 8, 9];

/**
 * Opens unnamed pipes. They leave nothing on the disk, even if the program dies. A command that opens `/dev/stdin`
 * after all input was written sees the end of the input; with a named pipe it would wait for another writer.
 *
 * Node.js cannot create unnamed pipes. A shell creates them, and this program opens both ends of each pipe in `/proc`,
 * as Linux allows for processes of the same user.
 *
 * @returns the ends of the pipes; undefined if the pipes cannot be opened, because there is no `/proc` or the shell
 *   creates no pipes
 */
export async function openUnnamedPipes(uses: readonly PipeUse[]): Promise<PipeEnds[] | undefined> {
  using opened = new DisposableStack();
  const ends: PipeEnds[] = [];
  try {
    while (ends.length < uses.length) {
      ends.push(
        ...(await openPipesFromShell(uses.slice(ends.length, ends.length + DESCRIPTOR_NUMBERS.length), opened)),
      );
    }
  } catch {
    return undefined;
  }
  opened.move();
  return ends;
}

/**
 * Opens one pipe for each item of `uses`, with one shell.
 *
 * @param uses at most as many items as `DESCRIPTOR_NUMBERS` has
 * @param opened the ends of the pipes are added to it, and are closed when it is disposed of
 */
async function openPipesFromShell(uses: readonly PipeUse[], opened: DisposableStack): Promise<PipeEnds[]> {
  const numbers = DESCRIPTOR_NUMBERS.slice(0, uses.length);
  const shell = spawn('/bin/sh', ['-c', makePipes(numbers)], { stdio: ['pipe', 'pipe', 'ignore'] });
  // Ignore the error of a shell that cannot be started: opening its pipes in `/proc` then fails.
  shell.on('error', () => undefined);
  // Ignore the error if the shell has exited before its input is closed.
  shell.stdin.on('error', () => undefined);
  try {
    await Promise.race([once(shell.stdout, 'data'), once(shell, 'exit')]);
    return uses.map((use, at) => openPipe(`/proc/${String(shell.pid)}/fd/${String(numbers[at])}`, use, opened));
  } finally {
    shell.stdin.end();
  }
}

function openPipe(path: string, use: PipeUse, opened: DisposableStack): PipeEnds {
  const open = (flags: number): number => opened.adopt(openSync(path, flags), closeSync);
  const isOutput = use === 'command writes';
  const reader = open(constants.O_RDONLY | (isOutput ? constants.O_NONBLOCK : 0));
  if (!fstatSync(reader).isFIFO())
    throw new Error('/bin/sh writes here-documents to files instead of pipes: use another shell as /bin/sh');
  emptyPipe(path);
  const writer = open(constants.O_WRONLY | (isOutput ? 0 : constants.O_NONBLOCK));
  return isOutput ? { child: writer, own: reader } : { child: reader, own: writer };
}

/**
 * The content of each here-document. It is not empty, because some shells create no pipe for an empty here-document.
 */
const HERE_DOCUMENT_TEXT = '\n';

/**
 * Reads the content of the here-document from the pipe, so that the pipe is empty.
 *
 * @throws Error if the pipe cannot be read
 */
function emptyPipe(path: string): void {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    readSync(reader, Buffer.alloc(HERE_DOCUMENT_TEXT.length));
  } finally {
    closeSync(reader);
  }
}

/**
 * Returns a shell script that creates one pipe for each descriptor number with a here-document, prints a line when all
 * pipes exist, and runs until its input ends.
 */
function makePipes(numbers: readonly number[]): string {
  const documents = numbers.map((number) => `${String(number)}<<END`).join(' ');
  return `exec ${documents}\n${`${HERE_DOCUMENT_TEXT}END\n`.repeat(numbers.length)}echo; read -r nothing`;
}
