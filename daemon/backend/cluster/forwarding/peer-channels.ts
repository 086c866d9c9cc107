import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Channels } from '../channels/channels.ts';
import type { Clock } from '../../ports.ts';

/** An opened tunnel. */
export interface Upgraded {
  readonly response: IncomingMessage;
  /** Of TCP or TLS, or a channel, which has what is asked for here. */
  readonly socket: Socket;
  /** What came right behind the head. */
  readonly head: Buffer;
}

/** What is answered to whoever asks for another protocol. */
export type UpgradeAnswer = Upgraded | { readonly refusal: IncomingMessage };

/** What a backend answers that knows nothing of channels. */
const NOT_FOUND = 404;

interface PeerChannelsParts {
  /** Asks for a connection of that kind, which is given up when the signal says so. */
  readonly ask: (signal: AbortSignal) => Promise<UpgradeAnswer>;
  readonly clock: Pick<Clock, 'every'>;
}

/** The one connection to another backend that all tunnels to it are in. It is made with the first of them. */
export class PeerChannels implements Disposable {
  readonly #parts: PeerChannelsParts;
  readonly #giveUp = new AbortController();
  #channels: Promise<Channels | undefined> | undefined;

  constructor(parts: PeerChannelsParts) {
    this.#parts = parts;
  }

  /**
   * @returns undefined: there is none, as that backend is of an older version, or will say for itself why it takes no tunnel
   * @throws Error when it cannot be reached
   */
  current(): Promise<Channels | undefined> {
    return (this.#channels ??= this.#open());
  }

  /** Makes none any more; the one there is goes with its last tunnel. */
  [Symbol.dispose](): void {
    this.#giveUp.abort();
    this.#channels?.then(
      (channels) => channels?.retire(),
      () => undefined,
    );
  }

  async #open(): Promise<Channels | undefined> {
    const { ask, clock } = this.#parts;
    try {
      const answer = await ask(this.#giveUp.signal);
      if (!('refusal' in answer))
        return new Channels(answer.socket, answer.head, { clock, onClose: () => this.#forget() });
      answer.refusal.resume();
      if (answer.refusal.statusCode !== NOT_FOUND) this.#forget();
      return undefined;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Whoever comes next makes another one. */
  #forget(): void {
    this.#channels = undefined;
  }
}
