import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { LineEditor } from '../../text/line-editor.ts';
import type { EventTarget } from '../../model/target.ts';

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
 * The silences that the form edits if it was not opened for events: silences to change, ended silences to create again,
 * or the entries of new silences.
 */
export interface SilenceOrigin {
  readonly kind: 'change' | 'again' | 'new';
  readonly entries: readonly SilencedRow[];
}

/** The state of the silence dialog. Its targets stay the same even if the list behind the dialog changes. */
export interface SilenceForm {
  readonly targets: readonly EventTarget[];
  readonly origin: SilenceOrigin | undefined;
  readonly scope: SilenceScope;
  /** Subscriptions that the clients of all targets share, without their own `client:` subscriptions. */
  readonly subscriptions: readonly string[];
  readonly subscription: number;
  /** The search that selects the events to silence; it is used instead of `targets` if `scope` is `search`. */
  readonly selector: LineEditor;
  /** Index of the chosen end or duration in the list that `silenceDurations` returns. */
  readonly duration: number;
  readonly custom: LineEditor;
  /** Whether the silence ends when an event resolves; `undefined` until the user decides, see `endsOnResolve`. */
  readonly onResolve: boolean | undefined;
  /**
   * True if the user can choose the start. This is false for a silence that has begun, and for several silences with
   * different starts.
   */
  readonly hasStart: boolean;
  readonly starts: 'now' | 'at' | 'recurs';
  readonly at: LineEditor;
  /** Fields of a recurring silence: start of its windows, time zone, duration of a window, first and last day. */
  readonly schedule: LineEditor;
  readonly zone: LineEditor;
  readonly lasts: LineEditor;
  readonly firstDay: LineEditor;
  readonly lastDay: LineEditor;
  /** The reason of the silence. If existing silences are changed, it is a note that is added to their reasons. */
  readonly reason: LineEditor;
  readonly field: SilenceField;
  /** The reason why the form was not submitted, and how to fix it; `undefined` if there is no problem. */
  readonly problem: string | undefined;
  /** True if the form has already warned about a large scope. The next submission is then sent. */
  readonly isWarned: boolean;
  /** True if the form has warned that the matches are not counted yet. */
  readonly isWarnedUncounted: boolean;
}

/**
 * The settings of the last silence that was created, without its targets. The user can create another silence with
 * them.
 */
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
