import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/**
 * A child process of the soak test that exchanges requests and responses with it. Disposing of it kills the process.
 */
export class Child<Request extends object, Answer extends object> implements AsyncDisposable {
  readonly #process: ChildProcess;
  readonly #exited: Promise<unknown>;

  /**
   * Starts the process.
   *
   * @param program name of a file in this directory
   */
  constructor(program: string) {
    this.#process = fork(join(import.meta.dirname, program), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.#exited = once(this.#process, 'exit');
  }

  sendRequest(request: Request): void {
    this.#process.send(request);
  }

  /**
   * Sends a request and waits for the next response.
   *
   * @throws Error if the process ends before it responds
   */
  async ask(request: Request): Promise<Answer> {
    this.sendRequest(request);
    const answer = once(this.#process, 'message') as Promise<[Answer]>;
    const ended = this.#exited.then(() => {
      throw new Error('a process of the soak has ended by itself');
    });
    const [message] = await Promise.race([answer, ended]);
    return message;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.kill('SIGKILL');
    await this.#exited;
  }
}
