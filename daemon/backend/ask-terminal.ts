import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { MonError } from '../../shared/errors.ts';

/** Questions to whoever sits at the terminal. */
export interface Terminal {
  ask(question: string): Promise<string>;
  /** What is typed is not shown. */
  askSecret(question: string): Promise<string>;
}

/** @throws MonError `invalid` when the input ends before there is an answer, as with Ctrl-D and Ctrl-C */
export const terminal: Terminal = {
  ask: (question) => readAnswer(question, process.stderr),
  async askSecret(question) {
    process.stderr.write(question);
    const answer = await readAnswer('', new Writable({ write: (_chunk, _encoding, done) => done() }));
    process.stderr.write('\n');
    return answer;
  },
};

async function readAnswer(question: string, echo: NodeJS.WritableStream): Promise<string> {
  using asking = createInterface({ input: process.stdin, output: echo, terminal: true });
  const { promise: ended, reject } = Promise.withResolvers<never>();
  asking.once('close', () => reject(new MonError('invalid', 'no answer was given')));
  asking.once('SIGINT', () => asking.close());
  return await Promise.race([asking.question(question), ended]);
}
