import type { ApiClient } from '../../shared/client/api-client.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import type { Search } from '../../shared/domain/search.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { eventRowKey, findMatchingEvents } from './events.ts';

export interface LinesContext {
  readonly events: ReadonlyMap<string, EventRow>;
  /** Namespace of the events, silences and changes. Default: `default`. */
  readonly namespace?: string | undefined;
  readonly api: () => Promise<ApiClient>;
  readonly upgrades: () => Promise<UpgradeClient>;
  /** Session id with which this console takes ownership of an upgrade plan. */
  readonly session: string;
  readonly clock: { now(): number };
  readonly creator: string;
  readonly readOnly: boolean;
}

/** The last change of this session that can be undone. */
export interface LinesUndo {
  /** A sentence that describes the change. */
  readonly text: string;
  readonly operations: readonly BulkOperation[];
}

/** State of the console in screen-reader mode, which its commands share. */
export class LinesState {
  readonly context: LinesContext;
  search: Search | undefined;
  /** Key of the current event, which is the event that was read last; `undefined` if there is none. */
  current: string | undefined;
  isAnnouncementOff = false;
  isLive = false;
  everLive = false;
  undo: LinesUndo | undefined;
  /** Ids of the silences in the order of the last printed list; `undefined` if no list was printed. */
  silences: readonly string[] | undefined;

  constructor(context: LinesContext) {
    this.context = context;
  }

  get nowMs(): number {
    return this.context.clock.now();
  }

  /** Returns the events that match the filter, the worst first. */
  shown(): readonly EventRow[] {
    return findMatchingEvents(this.context.events.values(), this.search, this.nowMs);
  }

  /** Returns the current event, if it still exists. */
  currentEvent(): EventRow | undefined {
    return this.current === undefined ? undefined : this.context.events.get(this.current);
  }

  goTo(row: EventRow): void {
    this.current = eventRowKey(row);
  }
}
