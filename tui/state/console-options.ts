import type { ScreenSize } from './console-state.ts';
import type { AggregateNeeds } from '../model/aggregate-book.ts';
import type { Contexts } from '../model/contexts.ts';
import type { Kept } from './kept.ts';
import type { MessageLog } from '../model/message-log.ts';
import type { OwnChanges } from './undo.ts';

export interface ConsoleOptions {
  readonly size: ScreenSize;
  readonly backend: string;
  /** Who silences, for the entry's `creator`. */
  readonly creator: string;
  /** Names this console among those that work on plans for upgrades. */
  readonly session: string;
  readonly readOnly: boolean;
  /** Default: 80 percent. */
  readonly aggregateNeeds?: AggregateNeeds;
  /** The backends to choose from; default: none. */
  readonly contexts?: Contexts;
  /** The contexts of a merged list; default: one backend. */
  readonly members?: readonly string[];
  /** The namespace that is shown; `*`: all that the credentials may see, as one list. Default: `default`. */
  readonly namespace?: string | undefined;
  /** What a person has set up, or had set in this context before. */
  readonly kept?: Kept;
  /** What was done at this backend when it was shown before. */
  readonly ownChanges?: OwnChanges;
  /** What was said so far, also about other backends. */
  readonly log?: MessageLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
