import type { FeedRows } from '../../shared/schemas/feed.ts';
import { ConsoleStore } from '../../tui/store/console-store.ts';
import type { Effect } from '../../tui/store/effects.ts';
import { takeInput } from '../../tui/store/press-key.ts';
import { KeyDecoder } from '../../tui/terminal/key-decoder.ts';
import { ManualClock } from './manual-clock.ts';

/** The console without a terminal and without a network: keys and rows go in, state and effects come out. */
export class ConsoleDriver {
  readonly clock = new ManualClock();
  readonly store: ConsoleStore;
  readonly #decoder: KeyDecoder;

  constructor({ columns = 120, rows = 36, readOnly = false } = {}) {
    this.store = new ConsoleStore({
      size: { columns, rows },
      backend: 'http://127.0.0.1:4567',
      creator: 'alice@ops',
      session: 'console-1',
      readOnly,
      now: () => this.clock.now(),
    });
    this.#decoder = new KeyDecoder({
      emit: (event) => takeInput(this.store, event),
      after: (delayMs, task) => this.clock.after(delayMs, task),
    });
  }

  /** A complete snapshot, and the first frame after it. */
  goLive(rows: FeedRows): this {
    this.store.connectionChanged({ kind: 'syncing' });
    this.store.rowsArrived(rows, { replace: true, timeMs: undefined });
    this.store.connectionChanged({ kind: 'live' });
    this.store.paint();
    return this;
  }

  change(rows: FeedRows): void {
    this.store.rowsArrived(rows, { replace: false, timeMs: this.clock.now() });
  }

  /** Keys as a terminal sends them, in one piece, then a frame. */
  type(keys: string): void {
    this.#decoder.feed(keys);
    this.store.paint();
  }

  escape(): void {
    this.#decoder.feed('\u001B');
    this.clock.advance(20);
    this.store.paint();
  }

  /** Time passes, then a frame. */
  pass(ms: number): void {
    this.clock.advance(ms);
    this.store.paint();
  }

  /** Effects that people asked for; what the pane, the silence dialog and the trend of the aggregates load by themselves is left out. */
  effects(): readonly Effect[] {
    return this.store.takeEffects().filter((effect) => {
      if (effect.kind === 'load-view') return effect.view === this.store.state.view;
      if (effect.kind === 'load-silence-policy' || effect.kind === 'load-ended-silences') return false;
      return effect.kind !== 'load-event' || effect.into !== 'pane';
    });
  }

  /** Keys of the shown rows, in order. */
  get list(): readonly string[] {
    const { order } = this.store.rows;
    return order.slice(0, order.length).map(({ key }) => key);
  }

  get message(): string | undefined {
    return this.store.state.message?.text;
  }
}
