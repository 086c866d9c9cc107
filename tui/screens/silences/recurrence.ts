import { shownWindows, type RecurrencePart } from '../../../shared/domain/recurrence.ts';
import { readRecurrence, writtenRecurrence, type ReadRecurrence } from '../../../shared/domain/written-recurrence.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { Recurrence, ShownWindow } from '../../../shared/schemas/recurrence.ts';
import type { FormField } from '../../form/form.ts';
import { fieldLabel, LABEL_CELLS, type FieldRow } from '../../form/field-rows.ts';
import type { SilenceField, SilenceForm } from '../../state/layers/silence.ts';
import { EMPTY_LINE, lineOf } from '../../text/line-editor.ts';
import { run, type Line } from '../../text/theme.ts';
import { cutCells, wrapCells } from '../../text/wrap-cells.ts';
import { clockChangeText, wholeWindowText, windowText } from '../../words/recurrence-text.ts';

/** What of the dialog says when a silence is in force again and again. */
type RecurrenceLines = Pick<SilenceForm, 'schedule' | 'zone' | 'lasts' | 'firstDay' | 'lastDay'>;

export const NO_RECURRENCE: RecurrenceLines = {
  schedule: EMPTY_LINE,
  zone: lineOf('UTC'),
  lasts: lineOf('1h'),
  firstDay: EMPTY_LINE,
  lastDay: EMPTY_LINE,
};

interface About {
  readonly label: string;
  readonly line: keyof RecurrenceLines;
  readonly hint: string;
}

/** The fields, in the order of Tab. */
const ABOUT: ReadonlyMap<SilenceField, About> = new Map<SilenceField, About>([
  ['schedule', { label: 'Schedule', line: 'schedule', hint: 'sat,sun 02:00; daily 6:00,18:00; or cron' }],
  ['zone', { label: 'Zone', line: 'zone', hint: 'UTC, Europe/Berlin, +02:00' }],
  ['lasts', { label: 'Lasts', line: 'lasts', hint: 'each time: 30m, 2h' }],
  ['first-day', { label: 'First day', line: 'firstDay', hint: '2026-12-01; empty: today' }],
  ['last-day', { label: 'Last day', line: 'lastDay', hint: 'empty: no last day' }],
]);

const FIELD_OF_PART: Readonly<Record<RecurrencePart, SilenceField>> = {
  schedule: 'schedule',
  zone: 'zone',
  duration: 'lasts',
  first_day: 'first-day',
  last_day: 'last-day',
};

export const RECURRENCE_FIELDS: readonly FormField<SilenceForm>[] = Array.from(ABOUT, ([id, { line }]) => ({
  id,
  isThere: recurs,
  line: { of: (form: SilenceForm) => form[line], with: (form: SilenceForm, next) => ({ ...form, [line]: next }) },
}));

/** Whether the form is about windows that recur. */
export function recurs({ starts }: Pick<SilenceForm, 'starts'>): boolean {
  return starts === 'recurs';
}

/** A recurrence in the fields. */
export function recurrenceLines(recurrence: Recurrence): RecurrenceLines {
  const { schedule, zone, duration, firstDay, lastDay } = writtenRecurrence(recurrence);
  return {
    schedule: lineOf(schedule),
    zone: lineOf(zone),
    lasts: lineOf(duration),
    firstDay: lineOf(firstDay),
    lastDay: lineOf(lastDay),
  };
}

/** What the fields come to. */
export function typedRecurrence(form: RecurrenceLines, nowMs: number): ReadRecurrence {
  const { schedule, zone, lasts, firstDay, lastDay } = form;
  return readRecurrence(
    {
      schedule: schedule.text,
      zone: zone.text,
      duration: lasts.text,
      firstDay: firstDay.text,
      lastDay: lastDay.text,
    },
    nowMs,
  );
}

/** The field of a part that is wrong. */
export function fieldOfPart(part: RecurrencePart): SilenceField {
  return FIELD_OF_PART[part];
}

/** The fields as they are drawn; what is wrong is said beside its own. */
export function recurrenceRows(form: SilenceForm, nowMs: number): readonly FieldRow[] {
  if (!recurs(form)) return [];
  const read = typedRecurrence(form, nowMs);
  const wrong = read.problem === undefined || form.schedule.text === '' ? undefined : FIELD_OF_PART[read.part];
  return Array.from(ABOUT, ([id, { label, line, hint }]) => ({
    label,
    isFocused: form.field === id,
    control: {
      kind: 'line',
      line: form[line],
      cells: 20,
      hint: id === wrong ? 'invalid: see below' : isHinted(form, id, line) ? hint : '',
    },
  }));
}

/** What was typed needs no example any more. */
function isHinted(form: SilenceForm, id: SilenceField, line: keyof RecurrenceLines): boolean {
  return form.field === id || form[line].text === '';
}

/** The next windows with what daylight saving does to them, or what is wrong; as many rows as there is room for. */
export function windowRows(
  form: SilenceForm,
  nowMs: number,
  { width, rows }: { readonly width: number; readonly rows: number },
): readonly Line[] {
  const read = typedRecurrence(form, nowMs);
  if (read.problem !== undefined) {
    const tone = form.schedule.text === '' ? 'faint' : 'warning';
    return wrapCells(read.problem, width - LABEL_CELLS)
      .slice(0, rows)
      .map((text) => [fieldLabel(''), run(text, tone)]);
  }
  const windows = shownWindows(read.recurrence, nowMs);
  const notes = new Set(windows.map(clockChangeText).filter((text) => text !== ''));
  const shown = windows.slice(0, Math.max(1, rows - notes.size));
  return [
    ...shown.map((window, at): Line => [
      fieldLabel(at === 0 ? 'Windows' : ''),
      run(markedWindow(window, read.recurrence)),
    ]),
    ...[...notes].map((note): Line => [fieldLabel(''), run(cutCells(`* ${note}`, width - LABEL_CELLS), 'warning')]),
  ].slice(0, Math.max(1, rows));
}

function markedWindow(window: ShownWindow, { zone }: Recurrence): string {
  return `${windowText(window, zone)}${window.clock_change === undefined ? '' : ' *'}`;
}

/** The present window of an entry that recurs and those that follow, a line each. */
export function windowsOf({ recurrence }: Pick<SilencedRow, 'recurrence'>, nowMs: number): readonly string[] {
  if (recurrence === undefined) return [];
  return shownWindows(recurrence, nowMs).map((window) => wholeWindowText(window, recurrence.zone));
}
