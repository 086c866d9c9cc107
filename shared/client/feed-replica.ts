import type { GroupRow } from '../schemas/grouping.ts';
import type { InhibitionRow } from '../schemas/inhibition.ts';
import type { ClientRow, EventRow, FeedRows, SilencedRow, UpgradeRow } from '../schemas/feed.ts';

/** A copy of the backend's state, which a feed keeps up to date: rows by key. */
export class FeedReplica {
  readonly events: Map<string, EventRow> = new Map();
  readonly silenced: Map<string, SilencedRow> = new Map();
  readonly clients: Map<string, ClientRow> = new Map();
  readonly upgrades: Map<string, UpgradeRow> = new Map();
  readonly groups: Map<string, GroupRow> = new Map();
  readonly inhibitions: Map<string, InhibitionRow> = new Map();

  /**
   * Applies received rows; `null` removes a row.
   *
   * @param replace true at the start of a snapshot, to remove all earlier rows first
   */
  apply(rows: FeedRows, { replace }: { readonly replace: boolean }): void {
    const all = [this.events, this.silenced, this.clients, this.upgrades, this.groups, this.inhibitions];
    if (replace) for (const rowMap of all) rowMap.clear();
    mergeRows(this.events, rows.events);
    mergeRows(this.silenced, rows.silenced);
    mergeRows(this.clients, rows.clients);
    mergeRows(this.upgrades, rows.upgrades);
    mergeRows(this.groups, rows.groups);
    mergeRows(this.inhibitions, rows.inhibitions);
  }
}

function mergeRows<Row>(rowMap: Map<string, Row>, rows: Readonly<Record<string, Row | null>> | undefined): void {
  if (rows === undefined) return;
  for (const [key, row] of Object.entries(rows)) {
    if (row === null) rowMap.delete(key);
    else rowMap.set(key, row);
  }
}
