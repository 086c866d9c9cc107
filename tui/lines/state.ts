import type { ApiClient } from '../../shared/client/api-client.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import type { Search } from '../../shared/domain/search.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { keyOf, matching } from './events.ts';

export interface LinesAbout {
  readonly events: ReadonlyMap<string, EventRow>;
  /** Default: `default`. */
  readonly namespace?: string | undefined;
  readonly api: () => Promise<ApiClient>;
  readonly upgrades: () => Promise<UpgradeClient>;
  /** Names this console among those that work on plans for upgrades. */
  readonly session: string;
  readonly clock: { now(): number };
  readonly creator: string;
  readonly readOnly: boolean;
}

/** What can be taken back. */
export interface LinesUndo {
  /** What was done, as a sentence. */
  readonly text: string;
  readonly operations: readonly BulkOperation[];
}

/** What the conversation is about now. */
export class LinesState {
  readonly about: LinesAbout;
  search: Search | undefined;
  /** Key of the event that was read last. */
  current: string | undefined;
  isQuiet = false;
  isLive = false;
  everLive = false;
  undo: LinesUndo | undefined;
  /** Ids of silences in the order in which they were read last; undefined: they were not. */
  silences: readonly string[] | undefined;

  constructor(about: LinesAbout) {
    this.about = about;
  }

  get nowMs(): number {
    return this.about.clock.now();
  }

  /** The events that the filter shows, worst first. */
  shown(): readonly EventRow[] {
    return matching(this.about.events.values(), this.search, this.nowMs);
  }

  /** The event that was read last, if it is still there. */
  currentEvent(): EventRow | undefined {
    return this.current === undefined ? undefined : this.about.events.get(this.current);
  }

  goTo(row: EventRow): void {
    this.current = keyOf(row);
  }
}
