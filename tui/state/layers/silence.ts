import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { LineEditor } from '../../text/line-editor.ts';
import type { Target } from '../../model/target.ts';

export interface SilenceLayer {
  readonly kind: 'silence';
  readonly form: SilenceForm;
}

export type SilenceScope = 'pairs' | 'checks' | 'clients' | 'subscription' | 'search';

export type SilenceField =
  | 'scope'
  | 'subscription'
  | 'selector'
  | 'expires'
  | 'custom'
  | 'on-resolve'
  | 'starts'
  | 'at'
  | 'schedule'
  | 'zone'
  | 'lasts'
  | 'first-day'
  | 'last-day'
  | 'reason'
  | 'cancel'
  | 'submit';

/**
 * The silences that the form is about instead of events: to change, to create again after their end, or new
 * ones.
 */
export interface SilenceOrigin {
  readonly kind: 'change' | 'again' | 'new';
  readonly entries: readonly SilencedRow[];
}

/** The silence dialog. It keeps its targets by name, even if the list behind it changes. */
export interface SilenceForm {
  readonly targets: readonly Target[];
  readonly origin: SilenceOrigin | undefined;
  readonly scope: SilenceScope;
  /** Subscriptions that the clients of all targets share, without their own `client:` subscriptions. */
  readonly subscriptions: readonly string[];
  readonly subscription: number;
  /** The search that replaces the named targets. */
  readonly selector: LineEditor;
  /** Index in `silenceDurations`. */
  readonly duration: number;
  readonly custom: LineEditor;
  /** Whether the silence ends when an event resolves; `undefined` until the user decides, see `endsOnResolve`. */
  readonly onResolve: boolean | undefined;
  /**
   * True if the start can be chosen. It cannot for a silence that has begun, nor for several silences with
   * different starts.
   */
  readonly hasStart: boolean;
  readonly starts: 'now' | 'at' | 'recurs';
  readonly at: LineEditor;
  /** The recurrence: start of the windows, time zone, duration of each window, and the first and last day. */
  readonly schedule: LineEditor;
  readonly zone: LineEditor;
  readonly lasts: LineEditor;
  readonly firstDay: LineEditor;
  readonly lastDay: LineEditor;
  /** The reason; for changed silences it is a note that is added to their reasons. */
  readonly reason: LineEditor;
  readonly field: SilenceField;
  /** Why the form was not sent, and how to fix it. */
  readonly problem: string | undefined;
  /** True if the form has warned about a large scope; the next submission is sent. */
  readonly isWarned: boolean;
}

/** The settings of a silence without its targets. */
export type LastSilence = Pick<
  SilenceForm,
  | 'scope'
  | 'duration'
  | 'custom'
  | 'onResolve'
  | 'starts'
  | 'at'
  | 'schedule'
  | 'zone'
  | 'lasts'
  | 'firstDay'
  | 'lastDay'
  | 'reason'
> & { readonly subscriptionName: string | undefined };
