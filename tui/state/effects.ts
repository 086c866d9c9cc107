import type { SilencedRequest } from '../../shared/domain/silencing.ts';
import type { Recurrence } from '../../shared/schemas/recurrence.ts';
import type { PlanOrder } from '../../shared/schemas/plan-run.ts';
import type { Change } from '../words/changes.ts';
import type { Subject } from './layers/inspect.ts';
import type { LoadedView } from '../model/view-data.ts';
import type { Target } from '../model/target.ts';
import type { SavedView } from './saved-view.ts';
import type { LoadedLayerKind } from './layers/loaded.ts';

/** What a key asks of the world outside the store. The store itself touches nothing. */
export type Effect =
  | {
      readonly kind: 'change';
      readonly change: Change;
      /** Id of the own change that it takes back. */
      readonly undoes?: number;
    }
  /** Resolves events and deletes what their clients reported. */
  | { readonly kind: 'delete-events'; readonly targets: readonly Target[] }
  | { readonly kind: 'delete-clients'; readonly names: readonly string[] }
  | { readonly kind: 'request-checks'; readonly orders: readonly RunOrder[] }
  | { readonly kind: 'load-subject'; readonly subject: Subject }
  | { readonly kind: 'settle-letters'; readonly verb: DeadLetterVerb; readonly letters: readonly LetterOrder[] }
  /** Has a member of the cluster write; `name` for people, safe for a terminal. */
  | { readonly kind: 'hand-over'; readonly to: string; readonly name: string }
  | { readonly kind: 'load-layer'; readonly layer: LoadedLayerKind; readonly id: string }
  | { readonly kind: 'load-silence-policy' }
  /** `key`: of the scope that it is about. */
  | {
      readonly kind: 'load-silence-recent';
      readonly entries: readonly SilencedRequest[];
      readonly recurrence: Recurrence | undefined;
      readonly key: string;
    }
  /** Silences that ended in the last 24 hours. */
  | { readonly kind: 'load-ended-silences' }
  | { readonly kind: 'load-event'; readonly target: Target; readonly into: 'detail' | 'pane' }
  | { readonly kind: 'load-view'; readonly view: LoadedView }
  | { readonly kind: 'load-plan'; readonly id: number }
  /** Says that this console still works on it. */
  | { readonly kind: 'hold-plan'; readonly id: number }
  /** One after the other, until one is refused. */
  | { readonly kind: 'order-plan'; readonly id: number; readonly orders: readonly PlanOrder[] }
  | { readonly kind: 'new-plan'; readonly from: string; readonly to: string }
  /** Writes a view into the configuration file; `undefined`: takes it out. */
  | { readonly kind: 'save-view'; readonly name: string; readonly view: SavedView | undefined }
  | { readonly kind: 'switch-context'; readonly name: string }
  /** `*`: all that the credentials may see. */
  | { readonly kind: 'switch-namespace'; readonly name: string }
  /** Shows the lists as they were, epoch milliseconds; undefined: as they are. */
  | { readonly kind: 'travel'; readonly atMs: number | undefined }
  | { readonly kind: 'load-namespaces' }
  | TerminalEffect
  | { readonly kind: 'reconnect' | 'resync' | 'repaint' | 'quit' };

/** What the terminal is told besides frames, and what is loaded for that. */
export type TerminalEffect =
  /** `notice`: the text of a notification, safe for a terminal. */
  | { readonly kind: 'ring'; readonly bell: boolean; readonly notice: string | undefined }
  | { readonly kind: 'copy'; readonly label: string; readonly text: string }
  | { readonly kind: 'copy-event'; readonly target: Target }
  | { readonly kind: 'load-runbook'; readonly target: Target };

/** Dead letters are run again, or nobody wants them any more. */
export type DeadLetterVerb = 'retry' | 'drop';

/** A dead letter by its id, and what it is called. */
export interface LetterOrder {
  readonly id: number;
  /** Safe for a terminal. */
  readonly name: string;
}

/** A check to be run out of turn. */
export interface RunOrder {
  readonly check: string;
  /** `undefined`: those of the definition. */
  readonly subscribers?: readonly string[];
}
