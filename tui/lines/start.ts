import { createInterface } from 'node:readline';
import { LinesConsole, type LinesParts } from './console.ts';

/** The plain console on the terminal, or on whatever input and output are: what is echoed and edited is up to them. */
export function startPlain(parts: Omit<LinesParts, 'write'>): void {
  const running = new LinesConsole({ ...parts, write: (text) => void process.stdout.write(text) });
  // Without `terminal: false` Node would edit the line itself, and move the cursor for it.
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on('line', (line) => running.input(line));
  lines.on('close', () => running.end());
  // Who was reading is gone.
  process.stdout.on('error', () => running.end());
  void running.done.then(() => lines.close());
}
