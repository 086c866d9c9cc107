import type { SilencedRequest } from '../../shared/domain/silencing.ts';
import type { Recurrence } from '../../shared/schemas/recurrence.ts';
import type { PlanOrder } from '../../shared/schemas/plan-run.ts';
import type { BulkChange } from '../words/changes.ts';
import type { Subject } from './layers/inspect.ts';
import type { LoadedView } from '../model/view-data.ts';
import type { Target } from '../model/target.ts';
import type { SavedView } from './saved-view.ts';
import type { LoadedLayerKind } from './layers/loaded.ts';

/** A request of the store to the outside world, which the store itself never touches. */
export type Effect =
  | {
      readonly kind: 'change';
      readonly change: BulkChange;
      /** Id of the user's change that this change undoes. */
      readonly undoes?: number;
    }
  /** Resolves events and deletes the results of their clients. */
  | { readonly kind: 'delete-events'; readonly targets: readonly Target[] }
  | { readonly kind: 'delete-clients'; readonly names: readonly string[] }
  | { readonly kind: 'request-checks'; readonly orders: readonly CheckRunRequest[] }
  | { readonly kind: 'load-subject'; readonly subject: Subject }
  | { readonly kind: 'settle-letters'; readonly verb: DeadLetterVerb; readonly deadLetters: readonly DeadLetterOrder[] }
  /** Makes a member the leader of the cluster; `name` is for people and safe for a terminal. */
  | { readonly kind: 'hand-over'; readonly to: string; readonly name: string }
  | { readonly kind: 'load-layer'; readonly layer: LoadedLayerKind; readonly id: string }
  | { readonly kind: 'load-silence-policy' }
  /** Loads the recent problems of a silence scope; `key` identifies the scope. */
  | {
      readonly kind: 'load-silence-recent';
      readonly entries: readonly SilencedRequest[];
      readonly recurrence: Recurrence | undefined;
      readonly key: string;
    }
  /** Loads the silences that ended in the last 24 hours. */
  | { readonly kind: 'load-ended-silences' }
  | { readonly kind: 'load-event'; readonly target: Target; readonly into: 'detail' | 'pane' }
  | { readonly kind: 'load-view'; readonly view: LoadedView }
  | { readonly kind: 'load-plan'; readonly id: number }
  /** Renews this console's hold on a plan. */
  | { readonly kind: 'hold-plan'; readonly id: number }
  /** Sends orders one after the other, until one is rejected. */
  | { readonly kind: 'order-plan'; readonly id: number; readonly orders: readonly PlanOrder[] }
  | { readonly kind: 'new-plan'; readonly from: string; readonly to: string }
  /** Saves a view in the configuration file; `undefined` removes it. */
  | { readonly kind: 'save-view'; readonly name: string; readonly view: SavedView | undefined }
  | { readonly kind: 'switch-context'; readonly name: string }
  /** Switches the namespace; `*` shows all that the credentials may read. */
  | { readonly kind: 'switch-namespace'; readonly name: string }
  /** Shows the lists at a past moment in epoch milliseconds; `undefined` returns to the present. */
  | { readonly kind: 'travel'; readonly atMs: number | undefined }
  | { readonly kind: 'load-namespaces' }
  | TerminalEffect
  | { readonly kind: 'reconnect' | 'resync' | 'repaint' | 'quit' };

/** Output to the terminal besides frames, and the data that is loaded for it. */
export type TerminalEffect =
  /** Rings the bell; `notice` is the text of a notification, safe for a terminal. */
  | { readonly kind: 'ring'; readonly bell: boolean; readonly notice: string | undefined }
  | { readonly kind: 'copy'; readonly label: string; readonly text: string }
  | { readonly kind: 'copy-event'; readonly target: Target }
  | { readonly kind: 'load-runbook'; readonly target: Target };

/** The action on dead letters: run their handlers again, or drop them. */
export type DeadLetterVerb = 'retry' | 'drop';

/** A dead letter by its id, with its name. */
export interface DeadLetterOrder {
  readonly id: number;
  /** Safe for a terminal. */
  readonly name: string;
}

/** A request for an ad-hoc check. */
export interface CheckRunRequest {
  readonly check: string;
  /** The subscriptions; `undefined` means those of the definition. */
  readonly subscribers?: readonly string[];
}
