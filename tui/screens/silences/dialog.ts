import { keyOf } from '../../state/keys.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { SEVERITIES_WORST_FIRST } from '../../../shared/domain/severity.ts';
import { targetId } from '../../../shared/domain/silencing.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { SilencePolicy } from '../../../shared/schemas/silence-policy.ts';
import type { ScreenSize } from '../../state/console-state.ts';
import { countOf } from '../../words/changes.ts';
import {
  endsOnResolve,
  isWideSilence,
  selectorProblem,
  silenceStarts,
  silenceDurations,
  silenceFields,
  silenceScopeEntries,
  silenceScopes,
  silenceSeconds,
  silenceStartMs,
} from './form.ts';
import { endProblem } from './submission.ts';
import { lostRecurrences } from './lost-recurrence.ts';
import { recurrenceRows, isRecurring, windowRows } from './recurrence.ts';
import { recurringConflictText, scheduleText } from '../../words/recurrence-text.ts';
import type { SilencePreview } from '../../model/silence-preview.ts';
import { targetText } from '../../../shared/domain/silence-name.ts';
import { shownDate } from '../../words/shown-time.ts';
import { cutCells, wrapCells } from '../../text/wrap-cells.ts';
import { run, SEVERITY_STYLES, type Line } from '../../text/theme.ts';
import { targetNames } from '../../model/target-names.ts';
import { clockText } from '../connection/connection-text.ts';
import { buttonRun, dialogRows, dialogWidth, type DialogPage } from '../../form/dialog.tsx';
import { fieldLabel, fieldRows, labelRuns, LABEL_CELLS, type FieldRow } from '../../form/field-rows.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';
import type { SilenceField, SilenceForm, SilenceOrigin, SilenceScope } from '../../state/layers/silence.ts';

/** Maximum number of names in a line of the dialog. If there are more, the line says how many. */
const NAMED_OBJECTS_MAX = 3;

/** The data that the silence dialog shows. */
export interface SilenceDialogState {
  readonly form: SilenceForm;
  readonly preview: SilencePreview;
  /** The recent problems that the silence would have covered; `undefined` until the backend has responded. */
  readonly recent?: RecentProblems | undefined;
  readonly policy: SilencePolicy;
  /** The reason why the backend would reject the silence; `undefined` if the backend has given no reason. */
  readonly refused?: string | undefined;
  /** The existing silences by id, to find those that the new silence replaces or overlaps. */
  readonly silenced: ReadonlyMap<string, SilencedRow>;
  readonly nowMs: number;
}

export function silenceDialog(state: SilenceDialogState, size: ScreenSize): DialogPage {
  const { form, preview, policy, nowMs } = state;
  const width = dialogWidth(size.columns);
  const fields = fieldRows(
    [
      ...selectorFields(form),
      ...expiryFields(form),
      ...startFields(form),
      ...recurrenceRows(form, nowMs),
      reasonField(form, policy),
    ],
    width,
  );
  const problem =
    form.problem === undefined ? [] : wrapCells(form.problem, width).map((line) => [run(line, 'critical')]);
  // The chosen scope, the number of matches and the buttons take one row each.
  const available = { width, rows: dialogRows(size.rows) - fields.length - problem.length - 3 };
  const times = isRecurring(form) ? windowRows(form, nowMs, available) : [endLine(form, nowMs)];
  const figures: readonly Line[] = [matchLine(preview), ...times];
  const buttons: Line = [
    buttonRun(effectText(form, preview), form.field === 'submit'),
    run('   '),
    buttonRun('Cancel', form.field === 'cancel'),
    run(`   ${keyOf('form-submit')} submit   ${keyOf('form-cancel')} cancel`, 'faint'),
  ];
  // On a small screen the notes are omitted first, then the scopes that are not chosen, then the numbers of events. The
  // buttons are always shown.
  const remainingRows = dialogRows(size.rows) - fields.length - figures.length - problem.length - 1;
  const all = form.origin === undefined ? fieldRows([scopeField(form)], width) : entryLines(form.origin.entries, width);
  const scopes = all.length <= remainingRows ? all : chosenLines(form, all);
  const free = Math.max(0, remainingRows - scopes.length);
  const notes = noteLines(state, width).slice(0, Math.max(0, free - 1));
  const gaps = free - notes.length;
  const above = [...scopes, ...fields, ...(gaps > 1 ? [[]] : []), ...figures, ...notes];
  const below = [...problem, ...(gaps > 0 && problem.length === 0 ? [[]] : []), buttons];
  const lines = [...above.slice(0, Math.max(0, dialogRows(size.rows) - below.length)), ...below];
  return { title: titleText(form), lines };
}

const ORIGIN_TITLES: Readonly<Record<SilenceOrigin['kind'], string>> = {
  change: 'Change',
  again: 'Recreate',
  new: 'Silence',
};

function titleText({ origin, targets }: SilenceForm): string {
  const [target] = targets;
  if (origin === undefined && targets.length === 0) return 'New silence';
  if (origin === undefined) {
    const what =
      targets.length === 1 && target !== undefined
        ? `${target.client}/${target.check}`
        : countOf(targets.length, 'event');
    return safeLine(`Silence ${what}`);
  }
  const [entry] = origin.entries;
  const what =
    origin.entries.length === 1 && entry !== undefined ? targetText(entry) : countOf(origin.entries.length, 'silence');
  return safeLine(`${ORIGIN_TITLES[origin.kind]}: ${what}`);
}

/** Returns true if the form creates a silence for all events that match a search. */
function isSearch({ origin, scope }: Pick<SilenceForm, 'origin' | 'scope'>): boolean {
  return origin === undefined && scope === 'search';
}

/** Returns the text of the submit button. */
function effectText(form: SilenceForm, { total, isCounting }: SilencePreview): string {
  const { origin } = form;
  if (origin?.kind === 'change') return `Change ${countOf(origin.entries.length, 'silence')}`;
  // The text contains no number of events, because for a recurring silence or a search they change or do not exist yet.
  if (isRecurring(form) || (isSearch(form) && total === 0 && isCounting !== true))
    return `Create ${countOf(Math.max(1, silenceScopeEntries(form).length), 'silence')}`;
  if (isCounting === true) return 'Silence all matches';
  // A silence for a maintenance can be created before there is an event to silence.
  if (origin !== undefined && total === 0) return `Create ${countOf(origin.entries.length, 'silence')}`;
  return `Silence ${countOf(total, 'event')}`;
}

function scopeField(form: SilenceForm): FieldRow {
  const { field, scope } = form;
  const scopes = silenceScopes(form);
  const texts = scopes.map((one) => scopeText(form, one));
  return {
    label: 'Scope',
    mnemonic: 's',
    isFocused: field === 'scope',
    isControlFocused: field === 'scope' || (field === 'subscription' && scope === 'subscription'),
    control: { kind: 'options', texts, chosen: scopes.indexOf(scope) },
  };
}

/**
 * Returns only one line: that of the chosen scope, or that of the first silence which the dialog changes or creates
 * again.
 */
function chosenLines(form: SilenceForm, lines: readonly Line[]): readonly Line[] {
  const line = lines[Math.max(0, silenceScopes(form).indexOf(form.scope))] ?? [];
  // The label can consist of several runs.
  let cells = 0;
  const runs = line.slice(line.findIndex(({ text }) => (cells += text.length) >= LABEL_CELLS) + 1);
  const label = form.origin === undefined ? labelRuns('Scope', form.field === 'scope', 's') : [fieldLabel('Silence')];
  return [[...label, ...runs]];
}

/**
 * Returns lines that name the silences which the dialog changes or creates again. The dialog cannot change what they
 * cover.
 */
function entryLines(entries: readonly SilencedRow[], width: number): readonly Line[] {
  const shown = entries.length > NAMED_OBJECTS_MAX ? entries.slice(0, NAMED_OBJECTS_MAX - 1) : entries;
  const moreCount = entries.length - shown.length;
  const lines = shown.map((entry, index): Line => {
    const by = entry.creator === null ? '' : ` by ${entry.creator}`;
    const why = entry.reason === null ? '' : `: ${entry.reason}`;
    return [
      fieldLabel(index === 0 ? 'Silence' : ''),
      run(cutCells(safeLine(`${targetText(entry)}${by}${why}`), width - LABEL_CELLS)),
    ];
  });
  return moreCount === 0 ? lines : [...lines, [fieldLabel(''), run(`and ${String(moreCount)} more`, 'faint')]];
}

function scopeText(form: SilenceForm, scope: SilenceScope): string {
  const { targets } = form;
  const [target] = targets;
  switch (scope) {
    case 'pairs':
      return targets.length === 1 && target !== undefined
        ? safeLine(`this check on this client: ${target.client}/${target.check}`)
        : `these ${String(targets.length)} client/check pairs: ${namesText(targets.map(({ client, check }) => `${client}/${check}`))}`;
    case 'checks':
      return `check ${namesText(targetNames(targets).checks)} on all clients`;
    case 'clients':
      return `client ${namesText(targetNames(targets).clients)}: all checks`;
    case 'subscription': {
      const more =
        form.subscriptions.length > 1
          ? `  (${String(form.subscription + 1)} of ${String(form.subscriptions.length)}: Tab, ←→)`
          : '';
      return `subscription ${safeLine(form.subscriptions[form.subscription] ?? '')}, all checks${more}`;
    }
    case 'search':
      return 'everything matching a search, now and later';
  }
}

function selectorFields({ field, origin, scope, selector: line }: SilenceForm): readonly FieldRow[] {
  if (!isSearch({ origin, scope })) return [];
  const hint = line.text === '' ? 'client~web-* env=prod check!=backup' : '';
  const cells = line.text === '' ? { cells: 2, hint } : {};
  return [
    { label: 'Search', mnemonic: 'h', isFocused: field === 'selector', control: { kind: 'line', line, ...cells } },
  ];
}

function expiryFields(form: SilenceForm): readonly FieldRow[] {
  const { field, duration: chosen, custom } = form;
  const presets = silenceDurations(form).map(({ label }) => label);
  const there = silenceFields(form);
  const row = (
    id: SilenceField,
    label: string,
    control: FieldRow['control'],
    mnemonic?: string,
  ): readonly FieldRow[] =>
    there.includes(id)
      ? [{ label, isFocused: field === id, control, ...(mnemonic !== undefined && { mnemonic }) }]
      : [];
  return [
    ...row('expires', 'Expires', { kind: 'presets', names: presets, chosen }, 'e'),
    ...row('custom', '  lasts', { kind: 'line', line: custom, cells: 16, hint: 'e.g. 90m, 2h, 1d12h or never' }),
    ...row('on-resolve', 'On OK', { kind: 'tick', isOn: endsOnResolve(form), text: onResolveText(form) }, 'o'),
  ];
}

function onResolveText(form: SilenceForm): string {
  if (isWideSilence(form)) return 'end the silence when the first event resolves';
  return silenceScopeEntries(form).length > 1
    ? 'end each silence when its check resolves'
    : 'end the silence when the check resolves';
}

const START_NAMES: Readonly<Record<SilenceForm['starts'], string>> = { now: 'now', at: 'at…', recurs: 'recurs…' };

function startFields(form: SilenceForm): readonly FieldRow[] {
  const { field, starts, hasStart, at: line } = form;
  if (!hasStart) return [];
  const isFocused = field === 'starts' || field === 'at';
  const baseRow = { label: 'Starts', mnemonic: 't', isFocused, isControlFocused: field === 'starts' };
  const all = silenceStarts(form);
  if (starts !== 'at') {
    const labels = all.map((one) => START_NAMES[one]);
    return [{ ...baseRow, control: { kind: 'presets', names: labels, chosen: all.indexOf(starts) } }];
  }
  const typed = { line, isControlFocused: field === 'at', cells: 21, hint: ' 22:00, tomorrow 02:00 or in 2h' };
  return [{ ...baseRow, control: { kind: 'presets', names: ['now', 'at'], chosen: 1, typed } }];
}

function reasonField({ field, origin, reason: line }: SilenceForm, policy: SilencePolicy): FieldRow {
  const label = origin?.kind === 'change' ? 'Note' : policy.reason === 'required' ? 'Reason *' : 'Reason';
  return { label, mnemonic: 'r', isFocused: field === 'reason', control: { kind: 'line', line } };
}

function matchLine({ total, bySeverity, alreadySilenced, isCounting }: SilencePreview): Line {
  if (isCounting === true) return [fieldLabel('Preview'), run('counting matches', 'faint')];
  const parts = SEVERITIES_WORST_FIRST.filter((severity) => bySeverity[severity] > 0).map((severity) =>
    run(` ${SEVERITY_STYLES[severity].symbol} ${String(bySeverity[severity])}`, SEVERITY_STYLES[severity].tone),
  );
  const already = alreadySilenced === 0 ? '' : `, ${String(alreadySilenced)} already silenced`;
  return [fieldLabel('Preview'), run(`matches now: ${countOf(total, 'event')}`, 'strong'), ...parts, run(already)];
}

/**
 * Returns the line with the number of resolved problems that the silence would have covered; empty until the backend
 * has responded.
 */
function recentLines({ recent, nowMs }: SilenceDialogState): readonly Line[] {
  if (recent === undefined) return [];
  const { recovered, since } = recent;
  const seconds = nowMs / 1000 - since;
  const isFullDay = seconds > DAY_SECONDS - 60;
  const span = isFullDay ? 'in the last 24 h' : `since the backend started ${formatDuration(seconds)} ago`;
  const what = recovered === 0 ? 'no other match' : `${countOf(recovered, 'check')} that recovered`;
  return [[fieldLabel(''), run(`also ${span}: ${what}`, recovered === 0 ? 'faint' : 'plain')]];
}

const DAY_SECONDS = 86_400;

function endLine(form: SilenceForm, nowMs: number): Line {
  const startMs = silenceStartMs(form, nowMs);
  const starts = form.starts === 'now' || startMs === undefined ? '' : `starts ${momentText(startMs, nowMs)}, `;
  const line = [fieldLabel(''), run(`${starts}${endText(form, startMs ?? nowMs, nowMs)}`)];
  if (!endsOnResolve(form) || !silenceFields(form).includes('on-resolve')) return line;
  if (!isWideSilence(form)) return [...line, run(' or when the check resolves')];
  return [...line, run(' or when the FIRST event resolves', 'critical')];
}

function endText(form: SilenceForm, startMs: number, nowMs: number): string {
  const seconds = silenceSeconds(form, startMs);
  if (seconds === undefined) return 'type a duration';
  if (seconds === 'keep') return 'keeps its end';
  if (seconds === EXPIRE_NEVER) return 'never expires';
  const hasPending = form.origin?.entries.some(({ begin }) => (begin ?? 0) * 1000 > nowMs) === true;
  if (hasPending && !form.hasStart) return 'each ends this long from now, or from its start if it is pending';
  const endMs = startMs + seconds * 1000;
  return `ends ${momentText(endMs, nowMs)} (in ${formatDuration((endMs - nowMs) / 1000)})`;
}

/** Returns the notes and warnings about the silence, the most important first. */
function noteLines(state: SilenceDialogState, width: number): readonly Line[] {
  const { form, preview, policy, silenced, nowMs } = state;
  const note = (text: string, isWarning = true): Line => [
    fieldLabel(''),
    run(cutCells(text, width - LABEL_CELLS), isWarning ? 'warning' : 'faint'),
  ];
  const ends = endProblem(form, policy, nowMs);
  const wrong = refusedSearch(state);
  const lost = lostRecurrences(form, silenced);
  return [
    ...(ends === undefined ? [] : [note(`not allowed: ${ends}`)]),
    ...(wrong === undefined
      ? []
      : wrapCells(wrong, width - LABEL_CELLS).map((line): Line => [fieldLabel(''), run(line, 'warning')])),
    ...lost.map((entry) => note(`not allowed: ${recurringConflictText(entry)}`)),
    ...keptSchedules(form).map((text) => note(text, false)),
    ...(form.origin?.kind !== 'change' && preview.total >= policy.warn_matches
      ? [note(`this silences ${countOf(preview.total, 'event')}: is the scope right?`)]
      : []),
    ...globalText(form).map((text) => note(text)),
    ...recentLines(state),
    ...replacedSilences(form, silenced)
      .filter((entry) => !lost.includes(entry))
      .map((entry) => note(`replaces ${entryText(entry, nowMs)}`)),
    ...(form.origin !== undefined || preview.others.count === 0 ? [] : [note(othersText(preview), false)]),
    ...overlappingSilences(state).map((entry) => note(`overlaps with ${entryText(entry, nowMs)}`, false)),
    ...(policy.reason_pattern === null
      ? []
      : [note(`the reason must match: ${safeLine(policy.reason_pattern)}`, false)]),
  ];
}

/**
 * Returns the problem with the search of the silence: a hint if it is empty, why it is not valid, or why the backend
 * would reject it. Returns `undefined` if there is no problem.
 */
function refusedSearch({ form, refused }: SilenceDialogState): string | undefined {
  if (!isSearch(form) || form.problem !== undefined) return undefined;
  if (form.selector.text.trim() === '')
    return 'search by client, check, subscriptions or attributes (not by status or output)';
  return selectorProblem(form.selector.text) ?? (refused === undefined ? undefined : `not allowed: ${refused}`);
}

/** Returns a note that recurring silences keep their schedule, if several silences are changed at once. */
function keptSchedules({ origin }: SilenceForm): readonly string[] {
  if (origin === undefined || origin.entries.length === 1) return [];
  const count = origin.entries.filter(({ recurrence }) => recurrence !== undefined).length;
  return count === 0
    ? []
    : [
        `${countOf(count, 'silence')} of them ${count === 1 ? 'recurs and keeps its' : 'recur and keep their'} schedule`,
      ];
}

function globalText({ origin, scope }: SilenceForm): readonly string[] {
  if (origin !== undefined) return [];
  if (scope === 'checks') return ['applies to all clients, including new ones'];
  return scope === 'subscription' ? ['applies to all checks of all clients with this subscription'] : [];
}

/** Returns the existing silences that the new silences replace, because they have the same id. */
function replacedSilences(form: SilenceForm, silenced: ReadonlyMap<string, SilencedRow>): readonly SilencedRow[] {
  if (form.origin !== undefined) return [];
  return silenceScopeEntries(form)
    .flatMap((parts) => silenced.get(targetId(parts)) ?? [])
    .slice(0, NAMED_OBJECTS_MAX);
}

/** Returns the other silences that still last when the new silence begins and that cover some of the same events. */
function overlappingSilences({ form, preview, silenced, nowMs }: SilenceDialogState): readonly SilencedRow[] {
  const own = new Set(silenceScopeEntries(form).map(targetId));
  const startMs = silenceStartMs(form, nowMs) ?? nowMs;
  const others = preview.overlaps.filter((id) => !own.has(id)).flatMap((id) => silenced.get(id) ?? []);
  return others.filter(
    ({ expire_at: end, recurrence }) => end === null || recurrence !== undefined || end * 1000 > startMs,
  );
}

function othersText({ others: { count, names: some } }: SilencePreview): string {
  const moreCount = count - some.length;
  return `also matches ${countOf(count, 'other')}: ${some.map(safeLine).join(', ')}${moreCount > 0 ? ` and ${String(moreCount)} more` : ''}`;
}

/** Returns the description of a silence, such as `bob's silence on db-008 / disk (41m left)`. */
function entryText(entry: SilencedRow, nowMs: number): string {
  const whose = entry.creator === null ? 'a silence' : `${entry.creator}'s silence`;
  const { expire_at: end, recurrence } = entry;
  const ends = end === null ? 'never expires' : `${formatDuration(end - nowMs / 1000)} left`;
  const left = recurrence === undefined ? ends : `recurs, ${scheduleText(recurrence)}`;
  return safeLine(`${whose} on ${targetText(entry)} (${left})`);
}

/** Returns the text of a time, such as `22:14Z`, with the date if it is not today. */
function momentText(atMs: number, nowMs: number): string {
  // A JavaScript date cannot represent a time so far in the future, and the backend would reject it.
  if (!Number.isFinite(new Date(atMs).getTime())) return 'never';
  const day = shownDate(atMs);
  const isToday = day === shownDate(nowMs);
  return `${isToday ? '' : `${day} `}${clockText(atMs, false)}`;
}

function namesText(all: readonly string[]): string {
  const unique = [...new Set(all)].map(safeLine);
  const moreCount = unique.length - NAMED_OBJECTS_MAX;
  return moreCount > 0
    ? `${unique.slice(0, NAMED_OBJECTS_MAX).join(', ')} and ${String(moreCount)} more`
    : unique.join(', ');
}
