import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { MonError } from '../../../../shared/errors.ts';

/** Asks questions at the terminal. */
export interface Terminal {
  ask(question: string): Promise<string>;
  /** Asks without echoing the input. */
  askSecret(question: string): Promise<string>;
}

/** @throws MonError `invalid` if the input ends before there is an answer, as with Ctrl-D and Ctrl-C */
export const terminal: Terminal = {
  ask: (question) => readAnswer(process.stderr, (asking) => asking.question(question)),
  async askSecret(question) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
    const answer = await readAnswer(nowhere, (asking) => {
      // Written only now: earlier the terminal itself would have echoed the input.
      process.stderr.write(question);
      return asking.question('');
    });
    process.stderr.write('\n');
    return answer;
  },
};

/** @param echo the stream to which input is echoed */
async function readAnswer(echo: NodeJS.WritableStream, ask: (asking: Interface) => Promise<string>): Promise<string> {
  using asking = createInterface({ input: process.stdin, output: echo, terminal: true });
  const { promise: ended, reject } = Promise.withResolvers<never>();
  asking.once('close', () => reject(new MonError('invalid', 'no input was given')));
  asking.once('SIGINT', () => asking.close());
  return await Promise.race([ask(asking), ended]);
}
