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
 * The interfaces of the store. Each function of the console declares only the interfaces that it uses: `ScreenView` to
 * read the state, `Screen` to act, and `LiveData` (in the model) and `ListOfView` (in the folder of the lists) for the
 * data. One object implements all interfaces, and only `console.tsx` names its class.
 */

/** The state of the screen, and the options that the console was opened with. */
export interface ScreenView {
  readonly state: ConsoleState;
  readonly options: ConsoleOptions;
}

/** Changes the state of the screen, shows messages, and requests effects. */
export interface Screen extends ScreenView {
  /** Replaces attributes of the state, and requests a frame. */
  update(change: Partial<ConsoleState>): void;
  /** Shows a message to the user and adds it to the log. */
  say(text: string, tone?: ConsoleMessage['tone']): void;
  /** Requests an effect, such as an API request. It runs after the current key or frame is handled. */
  request(effect: Effect): void;
}

/** Changes the state of the screen without requesting a frame. It is used if a frame is drawn soon anyway. */
export interface StateAdjuster extends ScreenView {
  adjustState(change: Partial<ConsoleState>): void;
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
  /** The settings of the last silence that was created with this console; `undefined` if no silence was created. */
  readonly lastSilence: LastSilence | undefined;
  /**
   * The backend's response about the silence in the dialog: the recent problems in its scope, or why it would be
   * rejected.
   */
  readonly silenceRecent: {
    /**
     * Returns the recent problems that the silence of this form would have covered.
     *
     * @returns the recent problems; `undefined` until the backend has responded
     */
    of(form: SilenceForm): RecentProblems | undefined;
    /** Returns the reason why the backend would reject the silence; `undefined` if the backend has given no reason. */
    refusalOf(form: SilenceForm): string | undefined;
    /**
     * Stores the recent problems that the backend returned.
     *
     * @param key key that identifies the scope of the silence
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

/** Pauses the display of changes while the user reads, and resumes it. */
export interface PauseControl {
  pause(): void;
  resume(): void;
}

/**
 * The part of the screen that the next frame must update: only the time (`none`), figures such as counters, or visible
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
