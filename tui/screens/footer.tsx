import type { ReactElement } from 'react';
import { allBindings, keyLabel, keyOf, type Binding, type KeyAction } from '../state/keys.ts';
import type { ConsoleState } from '../state/console-state.ts';
import type { LineEditor } from '../text/line-editor.ts';
import type { FilterState, ListState } from '../state/list-state.ts';
import { cellWidth, fitToWidth } from '../terminal/cells.ts';
import { run, type Run, type Theme, type Tone } from '../text/theme.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countText } from '../words/count-text.ts';
import { Row } from '../text/row.tsx';
import type { HiddenColumns } from '../list/table-layout.ts';
import { spreadRuns } from '../text/runs.ts';
import type { FocusedControl } from '../form/form.ts';
import { fieldRuns } from '../form/text-field.ts';
import type { KeyContext } from '../state/key-context.ts';

export const MESSAGE_TONES: Readonly<Record<NonNullable<ConsoleState['message']>['tone'], Tone>> = {
  done: 'ok',
  note: 'strong',
  problem: 'critical',
};

export interface HintsProps extends HintsState {
  readonly theme: Theme;
}

/** The state that decides which key hints are shown. */
export interface HintsState {
  readonly context: KeyContext;
  readonly columns: number;
  readonly connected: boolean;
  readonly paused: boolean;
  readonly readOnly: boolean;
  /** True if the screen has rows to mark and to sort. Default true. */
  readonly hasRows?: boolean;
  /** The kind of the field of a form that has the focus; `undefined` if no form is open. */
  readonly control?: FocusedControl | undefined;
  /** True if the question of a confirmation cannot be answered with `y`: a number must be typed, or it is a message. */
  readonly hasNoYes?: boolean;
  /** Whether the events of the fold under the cursor are shown; `undefined` if the cursor is not on a fold. */
  readonly fold?: 'folded' | 'unfolded' | undefined;
}

/** Actions whose hints are only shown if the screen has rows. */
const ROW_ACTIONS: ReadonlySet<KeyAction> = new Set(['mark', 'mark-all', 'sort', 'open', 'actions']);

/** Renders the hints for the keys of the current key context, as many as fit. */
export function HintsLine(props: HintsProps): ReactElement {
  return <Row theme={props.theme} runs={hintRuns(props)} />;
}

/** Returns the action whose hint is drawn at a cell of the line of hints; `undefined` if there is none. */
export function hintAt(props: HintsState, cell: number): KeyAction | undefined {
  let end = 0;
  return shownHints(props).find((hint) => {
    end += hintCells(hint);
    return cell < end;
  })?.action;
}

/** Returns the width of a hint with the blanks around its key and its text, in cells. */
function hintCells({ key, text }: Pick<KeyHint, 'key' | 'text'>): number {
  return cellWidth(key) + text.length + 3;
}

function hintRuns(props: HintsState): readonly Run[] {
  return shownHints(props).flatMap(({ key, text }) => [run(` ${key}`, 'accent'), run(` ${text} `)]);
}

/** The hint for the keys that change the field that has the focus, by the kind of the field. */
const CONTROL_HINTS: Readonly<Partial<Record<FocusedControl, KeyHint>>> = {
  list: { action: undefined, key: '↑↓', text: 'choose' },
  choices: { action: undefined, key: '←→', text: 'choose' },
  checkbox: { action: undefined, key: 'Space', text: 'change' },
  button: { action: 'form-enter', key: 'Enter', text: 'press' },
};

/** The hint for the keys that go to a field of a form by the letter of its label. */
const LETTER_HINT: KeyHint = { action: undefined, key: 'Alt-letter', text: 'field' };

/** A hint; its action is `undefined` if a click on it does nothing. */
interface KeyHint {
  readonly action: KeyAction | undefined;
  readonly key: string;
  readonly text: string;
}

function shownHints(props: HintsState): readonly KeyHint[] {
  const hints = allBindings().flatMap(([action, binding]) => {
    const text = binding.in.includes(props.context) ? hintText(action, binding, props) : undefined;
    return text === undefined ? [] : [{ action, key: keyLabel(binding.keys[0]), text }];
  });
  const fitting = new Set<KeyAction>();
  const control = props.control && CONTROL_HINTS[props.control];
  let available = props.columns - (control === undefined ? 0 : hintCells(control));
  for (const { action, key, text } of hints.toSorted(
    (a, b) => hintPriority(a.action, props) - hintPriority(b.action, props),
  )) {
    available -= hintCells({ key, text });
    if (available < 0) break;
    fitting.add(action);
  }
  const shown: readonly KeyHint[] = hints.filter(({ action }) => fitting.has(action));
  if (control === undefined) return shown;
  const hasSpace = available >= hintCells(LETTER_HINT);
  return [control, ...shown, ...(hasSpace ? [LETTER_HINT] : [])];
}

/** Returns 0 for a hint that must be shown before all others, 2 for one that is left out first, otherwise 1. */
function hintPriority(action: KeyAction, { paused }: HintsState): number {
  if (action === 'mark-all' || action === 'wrap') return 2;
  return action === 'help' || action === 'reconnect' || action === 'run' || (action === 'pause' && paused) ? 0 : 1;
}

function hintText(
  action: KeyAction,
  binding: Binding,
  { connected, paused, readOnly, context, hasRows = true, hasNoYes = false, fold }: HintsState,
): string | undefined {
  if (hasNoYes && action === 'confirm-yes') return undefined;
  if (!hasRows && ROW_ACTIONS.has(action)) return undefined;
  if (binding.changes === true && (!connected || readOnly)) return undefined;
  if (action === 'reconnect') return connected ? undefined : 'retry now';
  // The actions `run` and `reconnect` have the same key. Without a connection, the retry is more urgent.
  if (action === 'run' && !connected) return 'retry now';
  // The hint for running a check is not shown for an event, because events have more actions than fit in the footer.
  if (action === 'run' && (readOnly || context === 'events' || context === 'detail')) return undefined;
  // The hint for a new silence is only shown in the list of silences. The footer of other lists has no space for it.
  if (action === 'silence-new' && context !== 'silences') return undefined;
  // The hint for the inhibiting event is not shown: few events are inhibited, and the hint for going back must fit.
  if (action === 'inhibitor' && context === 'detail') return undefined;
  // In the detail of an event, this key opens the page about the focused panel.
  if (action === 'open' && context === 'detail') return 'open';
  if (action === 'open' && fold !== undefined) return fold === 'folded' ? 'unfold' : 'fold';
  if (action === 'pause' && paused) return 'resume';
  return binding.hint;
}

export interface StatusLineProps {
  readonly theme: Theme;
  readonly columns: number;
  readonly state: Pick<ConsoleState, 'prompt' | 'message'>;
  /** The state of the list: its filter, order, cursor and marks. */
  readonly list: ListState;
  /** The singular and the plural noun for a row, such as `event` and `events`. */
  readonly nouns: readonly [one: string, several: string];
  /** The name of the sort order of the list. */
  readonly sort: string;
  /** The reason why the rows may be outdated; it is shown instead of the filter. */
  readonly notice?: string | undefined;
  /** Number of rows that match the filter (`shown`), and of all rows (`total`). */
  readonly shown: number;
  readonly total: number;
  /** True if only the first matching rows are known, and their number is still unknown. Default false. */
  readonly isMore?: boolean;
  readonly orderPaused: boolean;
  /** True if this line also shows the numbers of rows, because the screen has no space for a separate line. */
  readonly compact: boolean;
  /** True if the connection is lost, so that the rows may be outdated. */
  readonly stale: boolean;
  /** The criterion of the fold and the number of events in the rows; `undefined` if each row is one event. */
  readonly fold?: { readonly by: string; readonly events: number } | undefined;
  /** Number of marked events; default: of marked rows. */
  readonly marked?: number;
  /** The check that has more events than the screen has rows, so that folding helps; `undefined` if there is none. */
  readonly storm?: { readonly check: string; readonly count: number } | undefined;
  /** The completions of the word in the filter line. Default: none. */
  readonly completions?: readonly string[];
  /** Number of columns that are not drawn on the left and on the right. Default: none. */
  readonly hiddenColumns?: Pick<HiddenColumns, 'left' | 'right'>;
}

/**
 * Renders the line that shows the filter, or the outcome of the last action. On small screens it also shows the numbers
 * of rows.
 */
export function StatusLine(props: StatusLineProps): ReactElement {
  const { theme, columns, compact, notice } = props;
  const { prompt, message } = props.state;
  const { filter } = props.list;
  const right = compact ? positionRuns(props) : [];
  if (prompt !== undefined) {
    return <Row theme={theme} runs={promptRuns(prompt.line, filter.problem, columns, completionRuns(props))} />;
  }
  if (message !== undefined) {
    return (
      <Row
        theme={theme}
        runs={spreadRuns([run(` ${safeLine(message.text)}`, MESSAGE_TONES[message.tone])], right, columns)}
      />
    );
  }
  if (props.stale) {
    const note = run(' actions are disabled while disconnected; marks and filter are kept', 'warning');
    return <Row theme={theme} runs={spreadRuns([note], right, columns)} />;
  }
  if (notice !== undefined) {
    return <Row theme={theme} runs={spreadRuns([run(` ${safeLine(notice)}`, 'warning')], right, columns)} />;
  }
  const text = filter.text === '' ? 'none' : safeLine(filter.text);
  const edit = filter.text === '' ? '' : compact ? '' : `  (${keyOf('filter')} edit, ${keyOf('back')} clears)`;
  const shown =
    props.storm === undefined
      ? [run(compact ? '  filter: ' : ' filter: ', 'faint'), run(text), run(edit, 'faint')]
      : stormRuns(props.storm, compact);
  const left = [...(compact ? countRuns(props) : []), ...shown];
  return <Row theme={theme} runs={spreadRuns(left, right, columns)} />;
}

/**
 * Returns the line in which the user types the filter, with the problem of the filter. The problem gets at most half of
 * the line.
 */
function promptRuns(
  line: LineEditor,
  problem: FilterState['problem'],
  columns: number,
  completions: readonly Run[],
): readonly Run[] {
  const said = problem === undefined ? '' : `${String(problem.position + 1)}: ${safeLine(problem.message)}`;
  const available = columns - 2;
  const offered = completions.reduce((sum, { text }) => sum + cellWidth(text), 0);
  // While a field is being typed, its completions help more than the problem that it is not complete yet.
  if (offered > 0 && offered + cellWidth(line.text) + 1 <= available) {
    return spreadRuns([run(' /', 'strong'), ...fieldRuns(line, available - offered, true)], completions, columns);
  }
  const typed = Math.min(cellWidth(line.text) + 1, available >> 1);
  const width = Math.min(cellWidth(said), available - typed - 3);
  const field = fieldRuns(line, said === '' ? available : available - width - 3, true);
  return spreadRuns(
    [run(' /', 'strong'), ...field],
    said === '' ? [] : [run(`  ${fitToWidth(said, width)} `, 'critical')],
    columns,
  );
}

/** Returns the first completions of the word in the filter line, in at most half of the line. */
function completionRuns({ state: { prompt }, completions = [], columns }: StatusLineProps): readonly Run[] {
  const runs: Run[] = [];
  let available = (columns >> 1) - 2;
  const at = prompt?.chosen?.at ?? 0;
  for (const [index, candidate] of completions.entries()) {
    if (index < at) continue;
    const text = safeLine(candidate);
    available -= cellWidth(text) + 2;
    if (available < 0) return runs.length === 0 ? [] : [...runs, run(' …', 'faint')];
    runs.push(run('  '), run(text, index === prompt?.chosen?.at ? 'cursor' : 'accent'));
  }
  return runs;
}

/** Renders the line with the number of rows and the sort order, under the list of a tall screen. */
export function FiguresLine(props: StatusLineProps): ReactElement {
  const sort = run(`   sort: ${props.sort}`, 'faint');
  return <Row theme={props.theme} runs={spreadRuns([...countRuns(props), sort], positionRuns(props), props.columns)} />;
}

/** Returns the hint that folding the list would put many events of one check into one row. */
function stormRuns({ check, count }: NonNullable<StatusLineProps['storm']>, compact: boolean): readonly Run[] {
  return [
    run(`${compact ? '  ' : ' '}${safeLine(check)}: ${countText(count)} events`, 'strong'),
    run(`  ${keyOf('fold')} folds them into one row`, 'accent'),
  ];
}

function countRuns({ shown, isMore, total, compact, fold, nouns: [one, several] }: StatusLineProps): readonly Run[] {
  const shownCount = shownText(fold?.events ?? shown, isMore);
  if (fold !== undefined) {
    const events = compact ? `${shownCount}/${countText(total)}` : `${shownCount} of ${countText(total)} ${several}`;
    return [run(` ${events} in ${countText(shown)} ${shown === 1 ? 'row' : 'rows'}`), run(` by ${fold.by}`, 'accent')];
  }
  // While sorting is paused, rows that no longer exist stay visible.
  if (shown > total) return [run(` ${shownCount} shown, ${countText(total)} now`)];
  return [
    run(
      compact
        ? ` ${shownCount}/${countText(total)}`
        : ` ${shownCount} of ${countText(total)} ${total === 1 ? one : several} shown`,
    ),
  ];
}

function positionRuns(props: StatusLineProps): readonly Run[] {
  const { list, shown, isMore, orderPaused, compact, hiddenColumns } = props;
  const { cursor, marks } = list;
  const { marked = marks.size } = props;
  const row = shown === 0 ? '' : `${compact ? '' : 'row '}${countText(cursor.index + 1)}/${shownText(shown, isMore)} `;
  return [
    ...hiddenColumnRuns(hiddenColumns, compact),
    ...(list.following ? [run('following  ', 'accent')] : []),
    ...(orderPaused ? [run('order paused  ', 'accent')] : []),
    ...(marked === 0 ? [] : [run(`${countText(marked)} marked  `, 'strong')]),
    run(row),
  ];
}

/** Returns the number of rows, followed by `+` (`36+`) if there may be more rows. */
function shownText(shown: number, isMore = false): string {
  return `${countText(shown)}${isMore ? '+' : ''}`;
}

/** Returns the numbers of columns that are not drawn on the left and on the right, such as `← 2  3 columns →`. */
export function hiddenColumnRuns(hiddenColumns: StatusLineProps['hiddenColumns'], compact: boolean): readonly Run[] {
  const { left, right } = hiddenColumns ?? { left: 0, right: 0 };
  const counted = (count: number): string =>
    compact ? String(count) : `${String(count)} column${count === 1 ? '' : 's'}`;
  return [
    ...(left > 0 ? [run(`← ${right > 0 ? String(left) : counted(left)}  `, 'faint')] : []),
    ...(right > 0 ? [run(`${counted(right)} →  `, 'faint')] : []),
  ];
}
