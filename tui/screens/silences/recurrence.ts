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
import { localZone } from '../../words/shown-time.ts';
import { clockChangeText, fullWindowText, windowText } from '../../words/recurrence-text.ts';

/** The text fields of the silence dialog that describe a recurrence. */
type RecurrenceLines = Pick<SilenceForm, 'schedule' | 'zone' | 'lasts' | 'firstDay' | 'lastDay'>;

/** Returns the fields of a recurrence that was not typed yet, in the zone of the user. */
export function noRecurrence(): RecurrenceLines {
  return {
    schedule: EMPTY_LINE,
    zone: lineOf(localZone()),
    lasts: lineOf('1h'),
    firstDay: EMPTY_LINE,
    lastDay: EMPTY_LINE,
  };
}

interface FieldDetails {
  readonly label: string;
  readonly letter: string;
  readonly line: keyof RecurrenceLines;
  readonly hint: string;
}

/** The fields of a recurrence, in the order in which Tab visits them. */
const FIELD_DETAILS: ReadonlyMap<SilenceField, FieldDetails> = new Map<SilenceField, FieldDetails>([
  [
    'schedule',
    { label: 'Schedule', letter: 'c', line: 'schedule', hint: 'e.g. sat,sun 02:00; daily 6:00,18:00; or cron' },
  ],
  ['zone', { label: 'Zone', letter: 'z', line: 'zone', hint: 'e.g. UTC, Europe/Berlin or +02:00' }],
  ['lasts', { label: 'Lasts', letter: 'l', line: 'lasts', hint: 'length of each window, e.g. 30m or 2h' }],
  ['first-day', { label: 'First day', letter: 'i', line: 'firstDay', hint: 'e.g. 2026-12-01; empty: today' }],
  ['last-day', { label: 'Last day', letter: 'a', line: 'lastDay', hint: 'e.g. 2026-12-31; empty: no end date' }],
]);

const FIELD_OF_PART: Readonly<Record<RecurrencePart, SilenceField>> = {
  schedule: 'schedule',
  zone: 'zone',
  duration: 'lasts',
  first_day: 'first-day',
  last_day: 'last-day',
};

export const RECURRENCE_FIELDS: readonly FormField<SilenceForm>[] = Array.from(
  FIELD_DETAILS,
  ([id, { line, letter: mnemonic }]): FormField<SilenceForm> => ({
    id,
    mnemonic,
    isVisited: isRecurring,
    line: { of: (form) => form[line], with: (form, next) => ({ ...form, [line]: next }) },
  }),
);

/** Returns whether the form creates or changes a recurring silence. */
export function isRecurring({ starts }: Pick<SilenceForm, 'starts'>): boolean {
  return starts === 'recurs';
}

/** Returns the text fields that describe a recurrence. */
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

/** Returns the recurrence that the text fields describe, or the problem with a field. */
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

/** Returns the field in which the user types a part of a recurrence. */
export function fieldOfPart(part: RecurrencePart): SilenceField {
  return FIELD_OF_PART[part];
}

/** Returns the rows of the fields of a recurrence. If a field is not valid, its row says so. */
export function recurrenceRows(form: SilenceForm, nowMs: number): readonly FieldRow[] {
  if (!isRecurring(form)) return [];
  const read = typedRecurrence(form, nowMs);
  const wrong = read.problem === undefined || form.schedule.text === '' ? undefined : FIELD_OF_PART[read.part];
  return Array.from(FIELD_DETAILS, ([id, { label, letter, line, hint }]) => ({
    label,
    letter,
    isFocused: form.field === id,
    control: {
      kind: 'line',
      line: form[line],
      cells: 20,
      hint: id === wrong ? 'invalid: see below' : showsHint(form, id, line) ? hint : '',
    },
  }));
}

/** Returns true if an example is shown beside the field: it has the focus, or it is empty. */
function showsHint(form: SilenceForm, id: SilenceField, line: keyof RecurrenceLines): boolean {
  return form.field === id || form[line].text === '';
}

/**
 * Returns at most `rows` lines: the next windows with the effects of daylight saving changes, or the problem with the
 * recurrence.
 */
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

/** Returns the texts of the current window of a recurring silence and of the following windows, one for each line. */
export function windowsOf({ recurrence }: Pick<SilencedRow, 'recurrence'>, nowMs: number): readonly string[] {
  if (recurrence === undefined) return [];
  return shownWindows(recurrence, nowMs).map((window) => fullWindowText(window, recurrence.zone));
}
