import type { FeedRows } from '../../shared/schemas/feed.ts';
import { ConsoleStore } from '../../tui/console-store.ts';
import { INITIAL_FEED_STATUS, updateConnection } from '../../tui/model/feed-status.ts';
import type { Effect } from '../../tui/state/effects.ts';
import { handleInput } from '../../tui/actions/press-key.ts';
import { KeyDecoder } from '../../tui/terminal/key-decoder.ts';
import { ManualClock } from './manual-clock.ts';

/** The console without a terminal and a network: a test sends keys and rows, and reads the state and the effects. */
export class ConsoleDriver {
  readonly clock = new ManualClock();
  readonly store: ConsoleStore;
  readonly #decoder: KeyDecoder;

  /**
   * Creates the console.
   *
   * @param members names of the contexts whose events are merged into one list; default: the console shows one backend
   */
  constructor({
    columns = 120,
    rows = 36,
    readOnly = false,
    members,
  }: {
    readonly columns?: number;
    readonly rows?: number;
    readonly readOnly?: boolean;
    readonly members?: readonly string[] | undefined;
  } = {}) {
    this.store = new ConsoleStore({
      size: { columns, rows },
      backend: 'http://127.0.0.1:4567',
      creator: 'alice@ops',
      session: 'console-1',
      readOnly,
      ...(members && { mergedContexts: members }),
      now: () => this.clock.now(),
    });
    this.#decoder = new KeyDecoder({
      emit: (event) => handleInput(this.store, event),
      after: (delayMs, task) => this.clock.after(delayMs, task),
    });
  }

  /** Updates the console's time and draws a frame. */
  frame(): void {
    this.store.tick(this.clock.now());
    this.store.paint();
  }

  /** Applies `rows` as the complete state of the backend, and draws a frame. */
  goLive(rows: FeedRows): this {
    if (this.store.backends !== undefined) return this.#goLiveMerged(rows, [...this.store.backends.keys()]);
    this.store.connectionChanged({ kind: 'syncing' });
    this.store.rowsArrived(rows, { replace: true, timeMs: undefined });
    this.store.connectionChanged({ kind: 'live' });
    this.frame();
    return this;
  }

  /**
   * Applies `rows` to a merged list. Such a list gets no snapshot for all backends, so rows that are missing are
   * removed one by one.
   */
  #goLiveMerged(rows: FeedRows, members: readonly string[]): this {
    const { store } = this;
    const keys = Array.from(store.events.records(), ({ key }) => key);
    store.rowsArrived(
      {
        events: { ...goneFrom(keys, rows.events), ...rows.events },
        silenced: { ...goneFrom(store.silenced.keys(), rows.silenced), ...rows.silenced },
        clients: { ...goneFrom(store.clients.keys(), rows.clients), ...rows.clients },
      },
      { replace: false, timeMs: undefined, isNews: false },
    );
    const live = updateConnection(INITIAL_FEED_STATUS, { kind: 'live' }, this.clock.now());
    for (const name of members) store.backendChanged(name, live);
    this.frame();
    return this;
  }

  change(rows: FeedRows): void {
    this.store.rowsArrived(rows, { replace: false, timeMs: this.clock.now() });
  }

  /** Types keys in one chunk, as a terminal sends them, and draws a frame. */
  type(keys: string): void {
    this.#decoder.feed(keys);
    this.frame();
  }

  escape(): void {
    this.#decoder.feed('\u001B');
    this.clock.advance(20);
    this.frame();
  }

  /** Advances the clock by `ms` and draws a frame. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.frame();
  }

  /**
   * Returns the effects that result from the user's actions: automatic loads, such as those of the event pane and the
   * silence dialog, are omitted.
   */
  effects(): readonly Effect[] {
    return this.store.takeEffects().filter((effect) => {
      if (effect.kind === 'load-view') return effect.view === this.store.state.view;
      if (effect.kind === 'load-silence-policy' || effect.kind === 'load-silence-recent') return false;
      if (effect.kind === 'load-ended-silences') return false;
      return effect.kind !== 'load-event' || effect.into !== 'pane';
    });
  }

  /** Keys of the events in the list, in the displayed order. */
  get list(): readonly string[] {
    const { order } = this.store.rows;
    return order.slice(0, order.length).map(({ key }) => key);
  }

  get message(): string | undefined {
    return this.store.state.message?.text;
  }
}

/** Returns a removal (`null`) for each known key that `rows` does not contain. */
function goneFrom(
  known: Iterable<string>,
  rows: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, null>> {
  return Object.fromEntries([...known].filter((key) => rows[key] === undefined).map((key) => [key, null]));
}
