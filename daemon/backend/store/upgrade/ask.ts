import { createInterface } from 'node:readline';

/** Asks the operator; yes or no. */
export type Ask = (question: string) => Promise<boolean>;

/** On standard error, because the log goes to standard output. No answer, as at the end of the input, is no. */
export async function ask(question: string): Promise<boolean> {
  // Not as a terminal: then Ctrl-C stays what it is.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(`${question} [y/N] `, resolve);
  });
  lines.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}
