import type { SilencedRow } from '../../shared/schemas/feed.ts';
import type { RecentProblems } from '../../shared/schemas/silence-preview.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import type { ConsoleMessage, MessageLog } from '../model/message-log.ts';
import type { SilenceMatches } from '../model/silence-matches.ts';
import type { SilencePreview } from '../model/silence-preview.ts';
import type { ConsoleOptions } from './console-options.ts';
import type { ConsoleState } from './console-state.ts';
import type { Effect } from './effects.ts';
import type { OwnChanges } from './undo.ts';
import type { LoadedView } from '../model/view-data.ts';
import type { ViewName } from './view-names.ts';
import type { LastSilence, SilenceForm } from './layers/silence.ts';

/*
 * The interfaces of the store. Each function of the console declares only the interfaces that it uses, such as `Screen
 * & MessageSink`. `LiveData` and `MergedSources` are in the model, and `ListOfView` is in the folder of the lists. One
 * object implements all interfaces, and only `console.tsx` names its class.
 */

/** The part of the store that contains the state of the screen. */
export interface HasScreenState {
  readonly state: ConsoleState;
}

/** Reads and replaces the state of the screen. */
export interface Screen extends HasScreenState {
  update(change: Partial<ConsoleState>): void;
}

/** Changes the state without requesting a frame, because a frame is drawn anyway. */
export interface StateAdjuster extends HasScreenState {
  adjustState(change: Partial<ConsoleState>): void;
}

/** Shows a message to the user and adds it to the log. */
export interface MessageSink {
  say(text: string, tone?: ConsoleMessage['tone']): void;
}

/** Requests an effect, such as an API request, which runs after the current key or frame. */
export interface EffectRequester {
  request(effect: Effect): void;
}

/** The options that the console was opened with. */
export interface HasOptions {
  readonly options: ConsoleOptions;
}

/** The messages that this console showed, and the changes that its user made. */
export interface ConsoleHistory {
  readonly log: MessageLog;
  readonly ownChanges: OwnChanges;
}

/** The data of the silence dialog and of the screen of a silence. */
export interface SilenceDialogData {
  /** The policy for silences; a default until the backend has sent it. */
  readonly silencePolicy: SilencePolicy;
  /** The settings of the last silence that was created with this console; `undefined` if there is none. */
  readonly lastSilence: LastSilence | undefined;
  /**
   * The response of the backend about the scope of the silence dialog: recent problems, or why it would reject the
   * silence.
   */
  readonly silenceRecent: {
    /**
     * Returns the recent problems that the silence of this form would have covered.
     *
     * @returns `undefined` until the backend has answered
     */
    of(form: SilenceForm): RecentProblems | undefined;
    /** Returns the reason why the backend would reject the silence; `undefined` if it has not rejected it. */
    refusalOf(form: SilenceForm): string | undefined;
    /**
     * Stores the recent problems that the backend returned.
     *
     * @param key identifies the scope
     */
    answered(key: string, problems: RecentProblems): void;
    refused(key: string, problem: string): void;
    failed(key: string, nowMs: number): void;
  };
  /** The form of the last silence dialog if the user canceled it; `undefined` if it was submitted. */
  readonly silenceDraft: SilenceForm | undefined;
  keepSilenceDraft(form: SilenceForm | undefined): void;
  /** Stores the settings of a silence that was created, for the next silence. */
  rememberSilence(silence: LastSilence): void;
  /** Returns a summary of the events that the silence of this form would cover now. */
  silencePreview(form: SilenceForm): SilencePreview;
  /** Returns the events that a silence covers, or would cover if it were active. */
  silenceMatches(entry: SilencedRow): SilenceMatches;
}

/** Pauses and resumes the display of changes while the user reads. */
export interface PauseControl {
  pause(): void;
  resume(): void;
}

/**
 * The part of the screen that the next frame changes: only the time (`none`), figures such as counters, or visible
 * rows.
 */
export type Urgency = 'none' | 'figures' | 'rows';

/** Records which rows of the tables may have changed. */
export interface ChangedRowsRecorder {
  /** Records that this row may have changed, appeared or disappeared. */
  changed(view: ViewName, key: string): void;
  allChanged(view: ViewName | LoadedView): void;
}

/** Requests a frame that changes this part of the screen. */
export interface Frames {
  requestFrame(urgency: Urgency): void;
}
