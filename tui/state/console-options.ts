import type { ScreenSize } from './console-state.ts';
import type { AggregateNeeds } from '../model/aggregate-book.ts';
import type { Contexts } from '../model/contexts.ts';
import type { ScreenSettings } from './screen-settings.ts';
import type { MessageLog } from '../model/message-log.ts';
import type { OwnChanges } from './undo.ts';

export interface ConsoleOptions {
  readonly size: ScreenSize;
  readonly backend: string;
  /** The user's name, for the `creator` of a silence. */
  readonly creator: string;
  /** The id of this console among those that work on upgrade plans. */
  readonly session: string;
  readonly readOnly: boolean;
  /** Default: 80 percent. */
  readonly aggregateNeeds?: AggregateNeeds;
  /** The backends that can be chosen; default: none. */
  readonly contexts?: Contexts;
  /** The contexts of a merged list; default: a single backend. */
  readonly members?: readonly string[];
  /**
   * The namespace that is shown; `*` shows all that the credentials may read as one list. Default: `default`.
   */
  readonly namespace?: string | undefined;
  /** The settings that the user configured, or made earlier in this context. */
  readonly kept?: ScreenSettings;
  /** The user's changes at this backend when it was shown earlier. */
  readonly ownChanges?: OwnChanges;
  /** The messages so far, also about other backends. */
  readonly log?: MessageLog;
  /** Epoch milliseconds. */
  readonly now: () => number;
}
