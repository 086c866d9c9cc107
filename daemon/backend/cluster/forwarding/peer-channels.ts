import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Channels } from '../channels/channels.ts';
import type { Clock } from '../../ports.ts';

/** A connection to another member after a successful HTTP upgrade, for a tunnel or for channels. */
export interface UpgradedConnection {
  readonly response: IncomingMessage;
  /** A TCP or TLS socket, or a channel; a channel implements all socket methods that are used. */
  readonly socket: Socket;
  /** Bytes after the response headers that were already read; they belong to the new protocol. */
  readonly head: Buffer;
}

/** The outcome of an HTTP upgrade request: the upgraded connection, or the response that rejects the upgrade. */
export type UpgradeResponse = UpgradedConnection | { readonly refusal: IncomingMessage };

/**
 * HTTP status with which an earlier version of the program rejects the upgrade, because it does not support channels.
 */
const UNSUPPORTED_STATUS = 404;

interface PeerChannelsDependencies {
  /** Callback that requests a connection for channels; the signal aborts the request. */
  readonly requestConnection: (signal: AbortSignal) => Promise<UpgradeResponse>;
  readonly clock: Pick<Clock, 'every'>;
}

/** The connection to another member that multiplexes all tunnels to it. It is opened with the first tunnel. */
export class PeerChannels implements Disposable {
  readonly #dependencies: PeerChannelsDependencies;
  readonly #giveUp = new AbortController();
  #channels: Promise<Channels | undefined> | undefined;

  constructor(dependencies: PeerChannelsDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Returns the connection, and opens it if there is none.
   *
   * @returns the connection; undefined if the other member rejects it, because it runs an earlier version or accepts no
   *   tunnels at present
   * @throws Error if the other member cannot be reached
   */
  current(): Promise<Channels | undefined> {
    return (this.#channels ??= this.#open());
  }

  /** Cancels a connection that is being opened. An open connection is closed after its last tunnel has closed. */
  [Symbol.dispose](): void {
    this.#giveUp.abort();
    this.#channels?.then(
      (channels) => channels?.retire(),
      () => undefined,
    );
  }

  async #open(): Promise<Channels | undefined> {
    const { requestConnection: ask, clock } = this.#dependencies;
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

  /** Discards the closed or failed connection, so that the next call of `current` opens a new one. */
  #forget(): void {
    this.#channels = undefined;
  }
}
