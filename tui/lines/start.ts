import { createInterface } from 'node:readline';
import { LinesConsole, type LinesDependencies } from './console.ts';

/** Starts the screen-reader mode on standard input and output. The terminal itself echoes and edits the typed line. */
export function startPlain(parts: Omit<LinesDependencies, 'write'>): void {
  const running = new LinesConsole({ ...parts, write: (text) => void process.stdout.write(text) });
  // With `terminal: true` Node.js would edit the typed line itself and move the cursor for that.
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on('line', (line) => running.input(line));
  lines.on('close', () => running.end());
  // Writing fails if the reader of the output has closed it.
  process.stdout.on('error', () => running.end());
  void running.done.then(() => lines.close());
}
