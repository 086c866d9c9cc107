import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { MonError } from '../../../../shared/errors.ts';

/** Asks an operator questions at the terminal. */
export interface Terminal {
  ask(question: string): Promise<string>;
  /** Asks a question and does not echo the answer. */
  askSecret(question: string): Promise<string>;
}

/**
 * The terminal of this process; questions go to standard error.
 *
 * @throws MonError `invalid` if the input ends without an answer, for example by Ctrl-D or Ctrl-C
 */
export const processTerminal: Terminal = {
  ask: (question) => readAnswer(process.stderr, (asking) => asking.question(question)),
  async askSecret(question) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const answer = await readAnswer(nowhere, (asking) => {
      // The question is written only now, after the echo of the terminal was turned off, so that no input is shown.
      process.stderr.write(question);
      return asking.question('');
    });
    process.stderr.write('\n');
    return answer;
  },
};

/**
 * Reads one answer from standard input.
 *
 * @param echo the stream to which the input is echoed
 */
async function readAnswer(echo: NodeJS.WritableStream, ask: (asking: Interface) => Promise<string>): Promise<string> {
  using asking = createInterface({ input: process.stdin, output: echo, terminal: true });
  const { promise: ended, reject } = Promise.withResolvers<never>();
  asking.once('close', () => reject(new MonError('invalid', 'no input was given')));
  asking.once('SIGINT', () => asking.close());
  return await Promise.race([ask(asking), ended]);
}
