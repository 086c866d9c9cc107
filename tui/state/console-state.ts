import type { LineInHistory } from '../text/line-history.ts';
import { INITIAL_LIST, type ListState } from './list-state.ts';
import type { Theme } from '../text/theme.ts';
import { NO_HISTORY, type ViewHistory } from './view-history.ts';
import { FIRST_PLACE, type OverviewPlace } from './overview-place.ts';
import { FIRST_UPGRADE_PLACE, type UpgradePlace } from './upgrade-place.ts';
import { VIEWS, type ViewName } from './view-names.ts';
import { targetOf, type Target } from '../model/target.ts';
import type { Message } from '../model/message-log.ts';
import type { SavedView } from './saved-view.ts';
import { ATTENTION, type Attention } from './attention.ts';
import type { EventLoad } from './layers/detail.ts';
import type { Layer } from './layers/layer.ts';

export interface ScreenSize {
  readonly columns: number;
  readonly rows: number;
}

/** Under this the console says so instead of drawing something unreadable. */
export const SMALLEST_SCREEN: ScreenSize = { columns: 60, rows: 16 };

/** Rows from which on there is room for a tall header and a pane below the list. */
export const TALL_ROWS = 30;

/** A moment of the past that is shown, and the changes around it. Epoch milliseconds. */
export interface PastMoment {
  readonly atMs: number;
  /** Undefined: there is none that is known. */
  readonly previousMs: number | undefined;
  readonly nextMs: number | undefined;
  /** Not all of its events are here, or not yet: the worst are. */
  readonly partial?: { readonly rows: number; readonly total: number };
}

/** Everything about what is shown that is not data of the backend. Replaced, never changed. */
export interface ConsoleState {
  readonly size: ScreenSize;
  readonly view: ViewName;
  readonly history: ViewHistory;
  /** What is set in each view, also while another one is shown. */
  readonly views: Readonly<Record<ViewName, ListState>>;
  /** Edits the filter of the view that is shown. */
  readonly prompt: LineInHistory | undefined;
  readonly layers: readonly Layer[];
  readonly message: Message | undefined;
  /** Typed before a movement: `5j`. */
  readonly count: number | undefined;
  /** When a digit was typed that opens a view unless a movement follows. Epoch milliseconds. */
  readonly digitAtMs: number | undefined;
  /** The moment that everything is of; undefined: now. */
  readonly past: PastMoment | undefined;
  /** The moment that is on its way; undefined: none. */
  readonly travel: { readonly atMs: number } | undefined;
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
    past: undefined,
    travel: undefined,
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
