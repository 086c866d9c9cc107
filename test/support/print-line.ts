import { writeSync } from 'node:fs';

/**
 * Prints a line of a program that a test kills. Unlike `process.stdout.write`, it waits until the pipe has the line:
 * if the test reads slowly, no line is queued in this process and lost with it.
 */
export function printLine(text: string): void {
  writeSync(1, `${text}\n`);
}
