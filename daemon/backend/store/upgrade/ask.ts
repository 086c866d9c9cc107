import { createInterface } from 'node:readline';

/** Asks the operator a question, and returns true if the answer is yes. */
export type ConfirmationPrompt = (question: string) => Promise<boolean>;

/**
 * Asks a question on standard error, because the log goes to standard output. If the input ends without an answer, the
 * result is false.
 */
export async function askYesNo(question: string): Promise<boolean> {
  // The terminal mode of readline is off, because it would prevent Ctrl-C from interrupting the process.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(`${question} [y/N] `, resolve);
  });
  lines.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}
