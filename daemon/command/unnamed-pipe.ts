import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Descriptors of the two ends of a pipe. */
export interface PipeEnds {
  readonly child: number;
  readonly own: number;
}

/** Descriptors that every shell can name, besides the standard ones. */
const NUMBERS = [3, 4, 5, 6, 7, 8, 9];

/**
 * Pipes without a name, for the input of commands. Of one that has a name, a command that opens `/dev/stdin` waits for a
 * writer, for ever when all is written by then; of these it does not.
 *
 * Node cannot make them, but a shell can, and Linux lets others of the same user open both ends.
 *
 * @returns undefined where there is no `/proc`, or the shell makes no pipes
 */
export async function openUnnamedPipes(count: number): Promise<PipeEnds[] | undefined> {
  using opened = new DisposableStack();
  const ends: PipeEnds[] = [];
  try {
    while (ends.length < count) ends.push(...(await pipesOfShell(NUMBERS.slice(0, count - ends.length), opened)));
  } catch {
    return undefined;
  }
  opened.move();
  return ends;
}

/** @param opened closes the ends when it is disposed of */
async function pipesOfShell(numbers: readonly number[], opened: DisposableStack): Promise<PipeEnds[]> {
  const shell = spawn('/bin/sh', ['-c', makePipes(numbers)], { stdio: ['pipe', 'pipe', 'ignore'] });
  // That it could not be started shows by what it has not made.
  shell.on('error', () => undefined);
  // It may be gone before we are done with it.
  shell.stdin.on('error', () => undefined);
  try {
    await Promise.race([once(shell.stdout, 'data'), once(shell, 'exit')]);
    return numbers.map((number) => pipeAt(`/proc/${String(shell.pid)}/fd/${String(number)}`, opened));
  } finally {
    shell.stdin.end();
  }
}

function pipeAt(path: string, opened: DisposableStack): PipeEnds {
  const open = (flags: number): number => opened.adopt(openSync(path, flags), closeSync);
  const child = open(constants.O_RDONLY);
  if (!fstatSync(child).isFIFO()) throw new Error('the shell makes files of here-documents');
  emptyPipe(path);
  return { child, own: open(constants.O_WRONLY | constants.O_NONBLOCK) };
}

/** What a here-document must have in it, because of nothing some shells make no pipe. */
const CONTENT = '\n';

/** @throws Error when the content is not there */
function emptyPipe(path: string): void {
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    readSync(reader, Buffer.alloc(CONTENT.length));
  } finally {
    closeSync(reader);
  }
}

/** Makes a pipe of each here-document, says that they are there, and stays until its input ends. */
function makePipes(numbers: readonly number[]): string {
  const documents = numbers.map((number) => `${String(number)}<<END`).join(' ');
  return `exec ${documents}\n${`${CONTENT}END\n`.repeat(numbers.length)}echo; read -r nothing`;
}
