import { parseJsonWithRawControls } from '../../../shared/domain/raw-control-characters.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Log } from '../../log/log.ts';
import type { Clock } from '../../clock/clock.ts';
import { MESSAGE_BYTES_MAX, type AcceptMessage } from './local-result.ts';
import { isInvalid, logRefusal } from './log-refusal.ts';
import { MessageBuffer } from './message-buffer.ts';

/** Time limit for the next bytes of an incomplete message; after it the message is rejected (completion 1.11). */
const UNFINISHED_MS = 500;
/** Time limit for the first byte on a new connection; after it the connection is closed without a response. */
const FIRST_BYTE_TIMEOUT_MS = 30_000;
/** Maximum size of a message that is compared with `ping`, including whitespace around the word. */
const PING_BYTES_MAX = 64;

interface ConversationDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly accept: AcceptMessage;
  /** Sends the response and closes the connection. If the response is undefined, only closes the connection. */
  readonly finish: (answer: string | undefined) => void;
}

/**
 * Handles one connection to the TCP input, from its first byte to its response (completion 1.11). The response to
 * `ping` is `pong`. The response to results is `ok`, as soon as they are stored safely. The response to an invalid
 * message is `invalid`. Results that cannot be stored get no response.
 */
export class SocketConversation implements Disposable {
  readonly #deps: ConversationDependencies;
  readonly #message = new MessageBuffer();
  #wait: Disposable | undefined;
  #isFinished = false;
  /**
   * True if the brackets of the text are balanced but the text is not JSON. Such a text is not parsed again, because
   * further bytes cannot make it valid.
   */
  #isBroken = false;

  constructor(deps: ConversationDependencies) {
    this.#deps = deps;
    this.#waitFor(FIRST_BYTE_TIMEOUT_MS, () => this.#finish(undefined));
  }

  receive(piece: Buffer): void {
    if (this.#isFinished) return;
    this.#message.add(piece);
    if (this.#message.bytes > MESSAGE_BYTES_MAX) {
      this.#refuse(`larger than ${String(MESSAGE_BYTES_MAX / 1024 / 1024)} MiB`);
      return;
    }
    this.#waitFor(UNFINISHED_MS, () => this.#refuse('not JSON'));
    this.#read();
  }

  /** Called when the peer has ended its side of the connection: rejects a message that is still incomplete. */
  receiveEnd(): void {
    if (this.#isFinished) return;
    if (this.#message.bytes === 0) this.#finish(undefined);
    else this.#refuse('not JSON');
  }

  [Symbol.dispose](): void {
    this.#isFinished = true;
    this.#wait?.[Symbol.dispose]();
  }

  #read(): void {
    if (this.#message.bytes <= PING_BYTES_MAX && this.#message.text().trim() === 'ping') {
      this.#finish('pong');
      return;
    }
    if (this.#isBroken || !this.#message.mayBeComplete) return;
    let message: unknown;
    try {
      message = parseJsonWithRawControls(this.#message.text());
    } catch {
      this.#isBroken = true;
      return;
    }
    void this.#accept(message);
  }

  async #accept(message: unknown): Promise<void> {
    // The message is complete: ignore later bytes, and stop the time limit, because storing the results may take
    // longer.
    this[Symbol.dispose]();
    const { accept, log, finish } = this.#deps;
    try {
      await accept(message);
      finish('ok');
    } catch (error) {
      logRefusal(log, 'tcp', error);
      finish(isInvalid(error) ? 'invalid' : undefined);
    }
  }

  #refuse(reason: string): void {
    logRefusal(this.#deps.log, 'tcp', new MonError('invalid', reason));
    this.#finish('invalid');
  }

  #finish(answer: string | undefined): void {
    this[Symbol.dispose]();
    this.#deps.finish(answer);
  }

  #waitFor(delayMs: number, task: () => void): void {
    this.#wait?.[Symbol.dispose]();
    this.#wait = this.#deps.clock.after(delayMs, task);
  }
}
