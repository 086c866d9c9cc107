import type { SilencedRequest } from '../../shared/domain/silencing.ts';
import type { Recurrence } from '../../shared/schemas/recurrence.ts';
import type { PlanOrder } from '../../shared/schemas/plan-run.ts';
import type { BulkChange } from '../words/changes.ts';
import type { InspectSubject } from './layers/inspect.ts';
import type { LoadedView } from '../model/view-data.ts';
import type { EventTarget } from '../model/target.ts';
import type { SavedView } from './saved-view.ts';
import type { CommandTarget, OwnCommand } from './own-command.ts';
import type { LoadedLayerKind } from './layers/loaded.ts';

/**
 * An action outside the console state that the store requests, such as an API request or output to the terminal. The
 * store itself performs no input or output.
 */
export type Effect =
  | {
      readonly kind: 'change';
      readonly change: BulkChange;
      /** Id of the user's earlier change that this change undoes. */
      readonly undoes?: number;
    }
  /** Resolves events and deletes the results and the history of their checks on these clients. */
  | { readonly kind: 'delete-events'; readonly targets: readonly EventTarget[] }
  | { readonly kind: 'delete-clients'; readonly names: readonly string[] }
  | { readonly kind: 'request-checks'; readonly orders: readonly CheckRunRequest[] }
  /** Loads the results of runs that the user requested, to report their outcome. */
  | { readonly kind: 'load-run-results'; readonly runs: readonly AwaitedRun[] }
  | { readonly kind: 'load-subject'; readonly subject: InspectSubject }
  | { readonly kind: 'settle-letters'; readonly verb: DeadLetterVerb; readonly deadLetters: readonly DeadLetterOrder[] }
  /**
   * Makes the cluster member with the id `to` the leader. `name` is the name of the member for the user, without
   * control characters.
   */
  | { readonly kind: 'hand-over'; readonly to: string; readonly name: string }
  /** Creates an override of a schedule. */
  | { readonly kind: 'create-override'; readonly schedule: string; readonly override: SubmittedOverride }
  /** Deletes an override. `person` is the person who is on call because of it. */
  | {
      readonly kind: 'delete-override';
      readonly schedule: string;
      readonly id: string;
      readonly person: string;
    }
  | { readonly kind: 'load-layer'; readonly layer: LoadedLayerKind; readonly id: string }
  | { readonly kind: 'load-silence-policy' }
  /** Loads the recent problems that a silence with this scope would have covered. `key` identifies the scope. */
  | {
      readonly kind: 'load-silence-recent';
      readonly entries: readonly SilencedRequest[];
      readonly recurrence: Recurrence | undefined;
      readonly key: string;
    }
  /** Loads the silences that ended in the last 24 hours. */
  | { readonly kind: 'load-ended-silences' }
  /** Loads an event. `isDetailed` is true if its handlers and its activity are shown too. */
  | {
      readonly kind: 'load-event';
      readonly target: EventTarget;
      readonly into: 'detail' | 'pane';
      readonly isDetailed: boolean;
    }
  | { readonly kind: 'load-view'; readonly view: LoadedView }
  | { readonly kind: 'load-plan'; readonly id: number }
  /** Renews this console's ownership of an upgrade plan, before it expires. */
  | { readonly kind: 'hold-plan'; readonly id: number }
  /** Sends orders to an upgrade plan, such as `start` or `skip`, one after the other until the backend rejects one. */
  | { readonly kind: 'order-plan'; readonly id: number; readonly orders: readonly PlanOrder[] }
  | { readonly kind: 'new-plan'; readonly from: string; readonly to: string }
  /** Saves a view in the configuration file. If `view` is `undefined`, removes the view of this name. */
  | { readonly kind: 'save-view'; readonly name: string; readonly view: SavedView | undefined }
  | { readonly kind: 'switch-context'; readonly name: string }
  /** Switches to another namespace; `*` shows all namespaces that the credentials can read. */
  | { readonly kind: 'switch-namespace'; readonly name: string }
  /** Shows the lists at a past moment in epoch milliseconds. If `atMs` is `undefined`, returns to live data. */
  | { readonly kind: 'travel'; readonly atMs: number | undefined }
  | { readonly kind: 'load-namespaces' }
  /** Runs a command of the user on an object. */
  | { readonly kind: 'own-command'; readonly command: OwnCommand; readonly target: CommandTarget }
  | TerminalEffect
  | { readonly kind: 'reconnect' | 'resync' | 'repaint' | 'suspend' | 'quit' };

/** An effect that writes something other than a frame to the terminal, such as a bell, or loads data to do so. */
export type TerminalEffect =
  /**
   * Rings the bell if `bell` is true. `notice` is the text of a desktop notification, without control characters. If it
   * is `undefined`, no notification is sent.
   */
  | { readonly kind: 'ring'; readonly bell: boolean; readonly notice: string | undefined }
  | { readonly kind: 'copy'; readonly label: string; readonly text: string }
  /** Copies an event as JSON, or as Markdown with the command that opens it. */
  | { readonly kind: 'copy-event'; readonly target: EventTarget; readonly format: 'JSON' }
  | { readonly kind: 'copy-event'; readonly target: EventTarget; readonly format: 'Markdown'; readonly command: string }
  | { readonly kind: 'load-runbook'; readonly target: EventTarget };

/** The action on dead letters: run their handlers again, or drop them. */
export type DeadLetterVerb = 'retry' | 'drop';

/** The id of a dead letter, with a name for the user. */
export interface DeadLetterOrder {
  readonly id: number;
  /** The name of the dead letter, without control characters. */
  readonly name: string;
}

/** A request to run a check now, outside its schedule (an ad-hoc check). */
export interface CheckRunRequest {
  readonly check: string;
  /**
   * The subscriptions whose clients run the check; `undefined` for the subscriptions in the definition of the check.
   */
  readonly subscribers?: readonly string[];
}

/** A run of a check on a client that the user requested. */
export interface AwaitedRun {
  readonly target: EventTarget;
  /** Time of the request on the clock of the backend, in epoch seconds. Its result is not issued earlier. */
  readonly issued: number;
}

/** An override as the console creates it. Times are in epoch seconds. */
interface SubmittedOverride {
  readonly person: string;
  readonly from: number;
  readonly until: number;
  readonly note?: string;
  readonly by: string;
}
