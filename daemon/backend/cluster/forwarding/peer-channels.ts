import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Channels } from '../channels/channels.ts';
import type { Clock } from '../../ports.ts';

/** An opened tunnel. */
export interface Upgraded {
  readonly response: IncomingMessage;
  /** A TCP or TLS socket, or a channel, which implements the methods used here. */
  readonly socket: Socket;
  /** Bytes that arrived right after the head. */
  readonly head: Buffer;
}

/** The response to a request for another protocol. */
export type UpgradeAnswer = Upgraded | { readonly refusal: IncomingMessage };

/** The status of a backend that does not support channels. */
const UNSUPPORTED_STATUS = 404;

interface PeerChannelsParts {
  /** Requests a connection for channels; the signal aborts the request. */
  readonly ask: (signal: AbortSignal) => Promise<UpgradeAnswer>;
  readonly clock: Pick<Clock, 'every'>;
}

/** The one connection that contains all tunnels to another backend. It is opened with the first of them. */
export class PeerChannels implements Disposable {
  readonly #parts: PeerChannelsParts;
  readonly #giveUp = new AbortController();
  #channels: Promise<Channels | undefined> | undefined;

  constructor(parts: PeerChannelsParts) {
    this.#parts = parts;
  }

  /**
   * @returns undefined: that backend has an older version, or will itself say why it accepts no tunnel
   * @throws Error if that backend cannot be reached
   */
  current(): Promise<Channels | undefined> {
    return (this.#channels ??= this.#open());
  }

  /** Opens no more connections; the present one closes with its last tunnel. */
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
      if (answer.refusal.statusCode !== UNSUPPORTED_STATUS) this.#forget();
      return undefined;
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Forgets the connection, so that the next caller opens another one. */
  #forget(): void {
    this.#channels = undefined;
  }
}
