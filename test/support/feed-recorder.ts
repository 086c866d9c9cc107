import { vi } from 'vitest';
import type { FeedListener, FeedState, TransportMessage } from '../../shared/client/feed-client.ts';
import type { RowsMetadata } from '../../shared/client/feed-session.ts';
import { FeedReplica } from '../../shared/client/feed-replica.ts';
import type { FeedMessage, FeedRows, FeedStats } from '../../shared/schemas/feed.ts';

/** A feed listener that records all callbacks, and applies the rows to a replica. */
export class FeedRecorder implements FeedListener {
  readonly states: FeedState[] = [];
  readonly hellos: FeedMessage[] = [];
  readonly rows: { readonly rows: FeedRows; readonly about: RowsMetadata }[] = [];
  readonly stats: FeedStats[] = [];
  readonly transports: TransportMessage[] = [];
  readonly replica = new FeedReplica();

  onState(state: FeedState): void {
    this.states.push(state);
  }

  onHello(hello: FeedMessage): void {
    this.hellos.push(hello);
  }

  onRows(rows: FeedRows, about: RowsMetadata): void {
    this.rows.push({ rows, about });
    this.replica.apply(rows, about);
  }

  onStats(stats: FeedStats): void {
    this.stats.push(stats);
  }

  onTransport(message: TransportMessage): void {
    this.transports.push(message);
  }

  /** Kinds of all states so far, as one line such as `connecting syncing live`. */
  get path(): string {
    return this.states.map(({ kind }) => kind).join(' ');
  }

  /** Waits until the current state is of this kind, and returns it. */
  async reaches<Kind extends FeedState['kind']>(kind: Kind): Promise<Extract<FeedState, { kind: Kind }>> {
    const isOfKind = (state: FeedState | undefined): state is Extract<FeedState, { kind: Kind }> =>
      state?.kind === kind;
    return await vi.waitFor(() => {
      const state = this.states.at(-1);
      if (!isOfKind(state)) throw new Error(`the feed is not ${kind}: ${this.path} ${JSON.stringify(state)}`);
      return state;
    });
  }
}
