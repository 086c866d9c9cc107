import type { ApiClient } from '../../shared/client/api-client.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import type { Search } from '../../shared/domain/search.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { eventRowKey, matching } from './events.ts';

export interface LinesContext {
  readonly events: ReadonlyMap<string, EventRow>;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
  readonly api: () => Promise<ApiClient>;
  readonly upgrades: () => Promise<UpgradeClient>;
  /** The id of this console among those that work on upgrade plans. */
  readonly session: string;
  readonly clock: { now(): number };
  readonly creator: string;
  readonly readOnly: boolean;
}

/** The last change that can be undone. */
export interface LinesUndo {
  /** A sentence about the change. */
  readonly text: string;
  readonly operations: readonly BulkOperation[];
}

/** The state of the conversation. */
export class LinesState {
  readonly context: LinesContext;
  search: Search | undefined;
  /** Key of the event that was read last. */
  current: string | undefined;
  isAnnouncementOff = false;
  isLive = false;
  everLive = false;
  undo: LinesUndo | undefined;
  /** Ids of silences in the order in which they were last read; `undefined` if they were not. */
  silences: readonly string[] | undefined;

  constructor(context: LinesContext) {
    this.context = context;
  }

  get nowMs(): number {
    return this.context.clock.now();
  }

  /** Returns the events that match the filter, the worst first. */
  shown(): readonly EventRow[] {
    return matching(this.context.events.values(), this.search, this.nowMs);
  }

  /** Returns the event that was read last, if it still exists. */
  currentEvent(): EventRow | undefined {
    return this.current === undefined ? undefined : this.context.events.get(this.current);
  }

  goTo(row: EventRow): void {
    this.current = eventRowKey(row);
  }
}
