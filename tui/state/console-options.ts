import type { ScreenSize } from './console-state.ts';
import type { AggregateThresholds } from '../model/aggregate-book.ts';
import type { OwnCommand } from './own-command.ts';
import type { Contexts } from '../model/contexts.ts';
import type { ScreenSettings } from './screen-settings.ts';
import type { MessageLog } from '../model/message-log.ts';
import type { OwnChanges } from './undo.ts';

export interface ConsoleOptions {
  readonly size: ScreenSize;
  readonly backend: string;
  /** The name of the user. It is recorded as the `creator` of silences. */
  readonly creator: string;
  /** Id of this console's session, by which a backend knows which console owns an upgrade plan. */
  readonly session: string;
  readonly readOnly: boolean;
  /** Percentage of results that must be OK, for each aggregate; default 80. */
  readonly aggregateNeeds?: AggregateThresholds;
  /** The commands of the user from the configuration file; default: none. */
  readonly ownCommands?: readonly OwnCommand[];
  /** The contexts that the user can switch to; default: none. */
  readonly contexts?: Contexts;
  /** The names of the contexts whose events are shown in one list; `undefined` for a single backend. */
  readonly mergedContexts?: readonly string[];
  /** The shown namespace, or `*` for one list of all namespaces that the credentials can read. Default: `default`. */
  readonly namespace?: string | undefined;
  /** The screen settings from the configuration, or those that the user last had in this context. */
  readonly savedSettings?: ScreenSettings;
  /** The changes that the user made earlier in this namespace of this backend. */
  readonly ownChanges?: OwnChanges;
  /** The messages that were shown so far, including those about other backends. */
  readonly log?: MessageLog;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}
