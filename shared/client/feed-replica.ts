import type { ClientRow, EventRow, FeedRows, SilencedRow, UpgradeRow } from '../schemas/feed.ts';

/** The backend's state as a feed tells it: rows by key, folded as they arrive. */
export class FeedReplica {
  readonly events: Map<string, EventRow> = new Map();
  readonly silenced: Map<string, SilencedRow> = new Map();
  readonly clients: Map<string, ClientRow> = new Map();
  readonly upgrades: Map<string, UpgradeRow> = new Map();

  /** @param replace forget everything first: a snapshot begins */
  apply(rows: FeedRows, { replace }: { readonly replace: boolean }): void {
    if (replace) for (const held of [this.events, this.silenced, this.clients, this.upgrades]) held.clear();
    fold(this.events, rows.events);
    fold(this.silenced, rows.silenced);
    fold(this.clients, rows.clients);
    fold(this.upgrades, rows.upgrades);
  }
}

function fold<Row>(held: Map<string, Row>, rows: Readonly<Record<string, Row | null>> | undefined): void {
  if (rows === undefined) return;
  for (const [key, row] of Object.entries(rows)) {
    if (row === null) held.delete(key);
    else held.set(key, row);
  }
}
