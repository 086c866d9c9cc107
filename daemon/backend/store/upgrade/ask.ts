import { createInterface } from 'node:readline';

/** Asks the operator a question that is answered with yes or no. */
export type ConfirmationPrompt = (question: string) => Promise<boolean>;

/** Asks on standard error, because the log goes to standard output. The end of the input counts as no. */
export async function ask(question: string): Promise<boolean> {
  // Not a terminal interface, so that Ctrl-C keeps its meaning.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const answer = await new Promise<string>((resolve) => {
    lines.once('close', () => resolve(''));
    lines.question(`${question} [y/N] `, resolve);
  });
  lines.close();
  return /^\s*y(es)?\s*$/i.test(answer);
}
