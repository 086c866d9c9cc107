import type { EventExplanation } from '../../shared/api/answers.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import type { CommandLayer } from '../actions/command-line.ts';
import { ATTENTION, type Attention } from './bell.ts';
import type { Effect } from './effects.ts';
import type { HelpLayer } from '../screens/help/layer.ts';
import type { InspectLayer } from '../screens/inspect/layer.ts';
import type { DeadLetterLayer, HandlingLayer, SilenceEntryLayer } from './loaded-layer.ts';
import type { LineEditor } from '../form/line-editor.ts';
import { INITIAL_LIST, type ListState } from './list-state.ts';
import type { LogLayer } from '../screens/log/layer.ts';
import type { MenuLayer } from '../form/menu.ts';
import type { SilenceForm } from '../screens/silences/form.ts';
import type { Theme } from '../text/theme.ts';
import type { SearchField } from '../form/search-field.ts';
import { NO_HISTORY, type ViewHistory } from './view-history.ts';
import type { UpgradeDialogLayer } from '../screens/plans/form.ts';
import type { PlanPageLayer } from '../screens/plans/page.ts';
import { FIRST_PLACE, type OverviewPlace } from '../screens/overview/place.ts';
import { FIRST_UPGRADE_PLACE, type UpgradePlace } from '../screens/plans/place.ts';
import { VIEWS, type ViewName } from './view-names.ts';
import { targetOf, type Target } from '../model/target.ts';
import type { Message } from '../model/message-log.ts';
import type { SavedView } from './saved-view.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Under this the console says so instead of drawing something unreadable. */
export const SMALLEST_SCREEN: ScreenSize = { columns: 60, rows: 16 };

/** From this on there is room for a tall header and a pane below the list. */
export const TALL_ROWS = 30;

/** A whole event from the backend, and the row that the feed had for it then. */
export type EventLoad =
  | { readonly kind: 'loading' }
  | {
      readonly kind: 'loaded';
      readonly event: Event;
      readonly row: EventRow | undefined;
      /** When the backend asks for the check again, epoch seconds; undefined when it does not, or was not asked. */
      readonly nextRun: number | undefined;
      /** What becomes of it at its handlers; undefined when the backend did not tell, or was not asked. */
      readonly handling: EventExplanation | undefined;
      readonly reloading: boolean;
    }
  | { readonly kind: 'missing' }
  | { readonly kind: 'failed'; readonly message: string };

/** The whole event on its own screen. */
export interface DetailLayer {
  readonly kind: 'detail';
  readonly target: Target;
  readonly load: EventLoad;
  /** First line of the body that is shown. */
  readonly top: number;
  readonly raw: boolean;
  readonly wrap: boolean;
  readonly search: SearchField;
}

export interface SilenceLayer {
  readonly kind: 'silence';
  readonly form: SilenceForm;
}

/** A question with two buttons; without an effect a statement with one. */
export interface ConfirmLayer {
  readonly kind: 'confirm';
  readonly title: string;
  /** What it is about, one line each; already bounded. */
  readonly lines: readonly string[];
  /** The effect in words: `Resolve 3 events`. */
  readonly button: string;
  readonly focused: 'cancel' | 'submit';
  /** What must be typed before it is done, and what has been. */
  readonly typed?: { readonly wanted: string; readonly line: LineEditor } | undefined;
  readonly effect: Effect | undefined;
}

/** What lies over the view, the last one on top. */
export type Layer = FullLayer | SilenceLayer | ConfirmLayer | UpgradeDialogLayer | MenuLayer | CommandLayer;

/** A layer that fills the screen and hides the view. */
export type FullLayer =
  | DetailLayer
  | InspectLayer
  | HandlingLayer
  | DeadLetterLayer
  | SilenceEntryLayer
  | PlanPageLayer
  | HelpLayer
  | LogLayer;

const FULL_LAYERS: ReadonlySet<Layer['kind']> = new Set([
  'detail',
  'inspect',
  'handling',
  'dead-letter',
  'silence-entry',
  'plan-page',
  'help',
  'log',
]);

export function isFull(layer: Layer): layer is FullLayer {
  return FULL_LAYERS.has(layer.kind);
}

export interface FilterPrompt {
  readonly line: LineEditor;
  /** Place in the history; its length: the line being typed. */
  readonly historyAt: number;
}

/** Everything about what is shown that is not data of the backend. Replaced, never changed. */
export interface ConsoleState {
  readonly size: ScreenSize;
  readonly view: ViewName;
  readonly history: ViewHistory;
  /** What is set in each view, also while another one is shown. */
  readonly views: Readonly<Record<ViewName, ListState>>;
  /** Edits the filter of the view that is shown. */
  readonly prompt: FilterPrompt | undefined;
  readonly layers: readonly Layer[];
  readonly message: Message | undefined;
  /** Typed before a movement: `5j`. */
  readonly count: number | undefined;
  /** When a digit was typed that opens a view unless a movement follows. Epoch milliseconds. */
  readonly digitAtMs: number | undefined;
  readonly paused: { readonly sinceMs: number; readonly unseen: number } | undefined;
  readonly pane: boolean;
  /** Whether a tall screen has counters and tabs at its top. */
  readonly header: boolean;
  readonly overview: OverviewPlace;
  readonly upgrade: UpgradePlace;
  readonly peek: { readonly target: Target; readonly load: EventLoad } | undefined;
  readonly readOnly: boolean;
  /** Whether the terminal has the focus; without it the feed is drawn once a second. */
  readonly focused: boolean;
  readonly interruptedAtMs: number;
  /** Earlier command lines, the newest last. */
  readonly commandHistory: readonly string[];
  readonly savedViews: ReadonlyMap<string, SavedView>;
  /** What was set about how things look, over what the program was started with. */
  readonly look: Partial<Theme>;
  readonly attention: Attention;
  /** Whether the terminal reports wheel and clicks, which takes the selection of text from it. */
  readonly mouse: boolean;
  /** Until when the order stays as it is, because a cursor key was pressed. */
  readonly orderPausedUntilMs: number;
}

export function initialState(size: ScreenSize, readOnly: boolean): ConsoleState {
  return {
    size,
    view: 'events',
    history: NO_HISTORY,
    views: initialViews(),
    prompt: undefined,
    layers: [],
    message: undefined,
    count: undefined,
    digitAtMs: undefined,
    paused: undefined,
    pane: true,
    header: true,
    overview: FIRST_PLACE,
    upgrade: FIRST_UPGRADE_PLACE,
    peek: undefined,
    readOnly,
    focused: true,
    interruptedAtMs: -Infinity,
    commandHistory: [],
    savedViews: new Map(),
    look: {},
    attention: ATTENTION,
    mouse: false,
    orderPausedUntilMs: 0,
  };
}

/** The event that is drawn under the cursor of their list. */
export function eventUnderCursor({ views }: Pick<ConsoleState, 'views'>): Target | undefined {
  const { key } = views.events.cursor;
  return key === undefined ? undefined : targetOf(key);
}

function initialViews(): ConsoleState['views'] {
  const lists = VIEWS.map(({ name }) => [name, INITIAL_LIST] as const);
  return Object.fromEntries(lists) as Record<ViewName, ListState>;
}

export function isTooSmall(size: ScreenSize): boolean {
  return size.columns < SMALLEST_SCREEN.columns || size.rows < SMALLEST_SCREEN.rows;
}
