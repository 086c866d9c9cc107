import { once } from 'node:events';
import { WebSocket } from 'ws';
import { vi } from 'vitest';
import { parseFeedFrame } from '../../shared/client/feed-frames.ts';
import { FeedReplica } from '../../shared/client/feed-replica.ts';
import type { FeedRequest } from '../../shared/schemas/feed-request.ts';
import { FEED_PATH, FEED_PROTOCOL, type FeedMessage } from '../../shared/schemas/feed.ts';

/** A connection that acts as a client of the feed, controlled by the test. */
export class FeedPeer {
  /** All messages from the backend, in order. */
  readonly heard: FeedMessage[] = [];
  /** The rows that result from all messages so far. */
  readonly replica = new FeedReplica();
  /** Code and reason with which the connection ended; `undefined` while it is open. */
  ending: { readonly code: number; readonly reason: string } | undefined;
  readonly socket: WebSocket;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    let isSnapshotDue = true;
    socket.on('message', (data: Buffer) => {
      const message = parseFeedFrame(data.toString());
      if (message === undefined) throw new Error(`an unknown frame: ${data.toString()}`);
      this.heard.push(message);
      if (message.type === 'reset') isSnapshotDue = true;
      if (message.type !== 'snapshot' && message.type !== 'changes') return;
      this.replica.apply(message.rows, { replace: isSnapshotDue && message.type === 'snapshot' });
      isSnapshotDue = false;
    });
    socket.on('close', (code, reason) => (this.ending = { code, reason: reason.toString() }));
    socket.on('error', () => socket.terminate());
  }

  static async connect(url: string): Promise<FeedPeer> {
    const socket = new WebSocket(url.replace(/^http/, 'ws') + FEED_PATH, FEED_PROTOCOL);
    const peer = new FeedPeer(socket);
    await once(socket, 'open');
    return peer;
  }

  /** Opens a connection and subscribes to topics, by default to `events`. */
  static async subscribe(
    url: string,
    about: Partial<Omit<Extract<FeedRequest, { type: 'subscribe' }>, 'type'>> = {},
  ): Promise<FeedPeer> {
    const peer = await FeedPeer.connect(url);
    peer.say({ type: 'subscribe', topics: ['events'], ...about });
    return peer;
  }

  say(request: FeedRequest): void {
    this.sayText(JSON.stringify(request));
  }

  sayText(text: string): void {
    this.socket.send(text);
  }

  /** Returns all messages of this type that have arrived so far. */
  all<Type extends FeedMessage['type']>(type: Type): Extract<FeedMessage, { type: Type }>[] {
    const isOfType = (message: FeedMessage): message is Extract<FeedMessage, { type: Type }> => message.type === type;
    return this.heard.filter(isOfType);
  }

  /** Waits for the first message of this type, and returns it. */
  async hears<Type extends FeedMessage['type']>(type: Type): Promise<Extract<FeedMessage, { type: Type }>> {
    return await vi.waitFor(() => {
      const [message] = this.all(type);
      if (message === undefined) {
        throw new Error(`no ${type} in ${JSON.stringify(this.heard)}, ${JSON.stringify(this.ending)}`);
      }
      return message;
    });
  }

  async ends(): Promise<{ readonly code: number; readonly reason: string }> {
    return await vi.waitFor(() => {
      if (this.ending === undefined) throw new Error('the connection is still open');
      return this.ending;
    });
  }
}
