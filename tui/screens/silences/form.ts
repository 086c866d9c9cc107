import { readDuration } from '../../../shared/domain/duration.ts';
import { nextTimeOfDay, readStartTime } from '../../../shared/domain/time-text.ts';
import { parseSelector } from '../../../shared/domain/selector.ts';
import { clientSubscription } from '../../../shared/domain/subscription.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { splitName } from '../../model/backend-names.ts';
import { wrapIndex, visitedFields, stepForm, type FormField, type FormStep } from '../../form/form.ts';
import { editLine, EMPTY_LINE, lineOf, selectedLine, type LineEditor } from '../../text/line-editor.ts';
import { noRecurrence, RECURRENCE_FIELDS, recurrenceLines, isRecurring } from './recurrence.ts';
import { localClock, localZone, startText } from '../../words/shown-time.ts';
import type { EventTarget } from '../../model/target.ts';
import { targetNames } from '../../model/target-names.ts';
import { TARGETS_MAX } from '../../keys/targets.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';
import type {
  SilenceScope,
  SilenceField,
  SilenceOrigin,
  SilenceForm,
  LastSilence,
} from '../../state/layers/silence.ts';

const SILENCE_SCOPES: readonly SilenceScope[] = ['pairs', 'checks', 'clients', 'subscription', 'search'];

/** An end or a duration that the user can choose for a silence. */
export type SilenceDuration =
  | { readonly kind: 'span'; readonly label: string; readonly seconds: number }
  /** The silence ends the next time that the clock shows `hour` o'clock. */
  | { readonly kind: 'until'; readonly label: string; readonly hour: number }
  | { readonly kind: 'custom' | 'keep'; readonly label: string };

const NEW_DURATIONS: readonly SilenceDuration[] = [
  { kind: 'span', label: '15m', seconds: 900 },
  { kind: 'span', label: '1h', seconds: 3600 },
  { kind: 'span', label: '2h', seconds: 7200 },
  { kind: 'span', label: '4h', seconds: 14_400 },
  { kind: 'span', label: '8h', seconds: 28_800 },
  { kind: 'until', label: 'until 06:00', hour: 6 },
  { kind: 'span', label: '24h', seconds: 86_400 },
  { kind: 'custom', label: 'type…' },
];

const CHANGE_DURATIONS: readonly SilenceDuration[] = [...NEW_DURATIONS, { kind: 'keep', label: 'unchanged' }];

const ONE_HOUR = 1;
const HOUR_MS = 3_600_000;

/**
 * Returns the form for a new silence. The reason has the focus, because all fields before it have a useful default.
 * Without targets the silence covers a search, so the search has the focus.
 *
 * @param start `search`: the filter of the list. If it is a valid search for a silence, the form starts with it.
 *   `scope` and `subscription`: the scope that fits the selected rows best; default: the targets one by one
 */
export function openSilenceForm(
  targets: readonly EventTarget[],
  subscriptions: readonly string[],
  {
    search = '',
    scope = 'pairs',
    subscription = '',
  }: { readonly search?: string; readonly scope?: SilenceScope; readonly subscription?: string } = {},
): SilenceForm {
  const form = newForm(targets, subscriptions, search);
  const scopes = silenceScopes(form);
  // A search can be the only way to silence many events, but an empty one must not be the default.
  const first = scopes.find((one) => one !== 'search' || form.selector.text !== '');
  const isOffered = scopes.includes(scope) && (scope !== 'subscription' || subscriptions.includes(subscription));
  return {
    ...form,
    scope: isOffered ? scope : (first ?? scopes[0] ?? 'search'),
    subscription: Math.max(0, subscriptions.indexOf(subscription)),
  };
}

function newForm(targets: readonly EventTarget[], subscriptions: readonly string[], search: string): SilenceForm {
  return {
    targets,
    origin: undefined,
    scope: 'pairs',
    subscriptions,
    subscription: 0,
    selector: selectorProblem(search) === undefined ? lineOf(search) : EMPTY_LINE,
    duration: ONE_HOUR,
    custom: EMPTY_LINE,
    onResolve: undefined,
    hasStart: true,
    starts: 'now',
    at: EMPTY_LINE,
    ...noRecurrence(),
    reason: EMPTY_LINE,
    field: targets.length === 0 ? 'selector' : 'reason',
    problem: undefined,
    isWarned: false,
    isWarnedUncounted: false,
  };
}

/**
 * Returns a new silence form with the reason from the dialog that the user canceled. If both are about the same events,
 * the form also gets its search and its times. The scope starts over, because a wide one must be chosen each time.
 */
export function applyDraft(form: SilenceForm, draft: SilenceForm | undefined): SilenceForm {
  if (draft === undefined) return form;
  const isSame =
    form.origin === undefined &&
    draft.origin === undefined &&
    form.targets.length === draft.targets.length &&
    form.targets.every(({ key }, index) => key === draft.targets[index]?.key);
  if (!isSame) return { ...form, reason: selectedLine(draft.reason.text) };
  const { selector, reason, duration, custom, starts, at, schedule, zone, lasts, firstDay, lastDay } = draft;
  return { ...form, selector, reason, duration, custom, starts, at, schedule, zone, lasts, firstDay, lastDay };
}

/**
 * Returns the form for the silences of `origin`: to change them, to create them again after they have ended, or to
 * create them for the first time. If silences are changed, values that the user does not choose stay unchanged.
 */
export function openEntryForm(origin: SilenceOrigin, nowMs: number): SilenceForm {
  const [only, ...others] = origin.entries;
  const isMade = origin.kind !== 'change';
  const begin = isMade || others.length > 0 ? null : (only?.begin ?? null);
  const recurrence = others.length > 0 ? undefined : only?.recurrence;
  const isPending = recurrence === undefined && begin !== null && begin * 1000 > nowMs;
  return {
    ...openSilenceForm([], []),
    origin,
    duration: isMade ? ONE_HOUR : CHANGE_DURATIONS.length - 1,
    onResolve: only?.expire_on_resolve,
    hasStart: isMade || isPending,
    ...(isPending && ({ starts: 'at', at: lineOf(startText(begin)) } as const)),
    ...(recurrence !== undefined && ({ starts: 'recurs', ...recurrenceLines(recurrence) } as const)),
    reason: isMade && others.length === 0 ? lineOf(only?.reason ?? '') : EMPTY_LINE,
    field: origin.kind === 'new' ? 'reason' : recurrence === undefined ? 'expires' : 'schedule',
  };
}

/** Returns the ends and durations that the dialog offers. */
export function silenceDurations({ origin }: Pick<SilenceForm, 'origin'>): readonly SilenceDuration[] {
  return origin?.kind === 'change' ? CHANGE_DURATIONS : NEW_DURATIONS;
}

/** The beginnings of a duration (`90m`, `never`) and of a start (`22:30Z`) that the user types on the choices. */
const DURATION_START = /^(?:\d|never|n$)/;
const START_START = /^[\d+]/;

/** The fields of the silence dialog, in the order in which Tab visits them. */
export const SILENCE_FIELDS: readonly FormField<SilenceForm>[] = [
  {
    id: 'scope',
    mnemonic: 's',
    verticalChoices: (form) => {
      const scopes = silenceScopes(form);
      return { count: scopes.length, chosen: scopes.indexOf(form.scope) };
    },
    type: typeReason,
    isVisited: ({ origin, targets }) => origin === undefined && targets.length > 0,
    choose: (form, by) => {
      const scopes = silenceScopes(form);
      return { ...form, scope: scopes[wrapIndex(scopes.indexOf(form.scope) + by, scopes.length)] ?? 'pairs' };
    },
  },
  {
    id: 'subscription',
    isVisited: ({ origin, scope }) => origin === undefined && scope === 'subscription',
    choose: (form, by) => ({ ...form, subscription: wrapIndex(form.subscription + by, form.subscriptions.length) }),
  },
  {
    id: 'selector',
    mnemonic: 'h',
    isVisited: ({ origin, scope }) => origin === undefined && scope === 'search',
    line: lineField('selector'),
  },
  {
    id: 'expires',
    mnemonic: 'e',
    isVisited: (form) => !isRecurring(form),
    choose: (form, by) => ({ ...form, duration: wrapIndex(form.duration + by, silenceDurations(form).length) }),
    type: (form, text) =>
      DURATION_START.test(text)
        ? {
            ...form,
            duration: silenceDurations(form).findIndex(({ kind }) => kind === 'custom'),
            custom: typedLine(text),
            field: 'custom',
          }
        : typeReason(form, text),
  },
  {
    id: 'custom',
    isVisited: (form) => !isRecurring(form) && durationOf(form)?.kind === 'custom',
    line: lineField('custom'),
  },
  {
    id: 'on-resolve',
    mnemonic: 'o',
    type: typeReason,
    isCheckbox: true,
    // If several silences are changed, each silence keeps its own setting of whether it ends on resolve.
    isVisited: (form) => !isRecurring(form) && (form.origin === undefined || form.origin.entries.length === 1),
    choose: (form) => ({ ...form, onResolve: !endsOnResolve(form) }),
    toggles: true,
  },
  {
    id: 'starts',
    mnemonic: 't',
    isVisited: ({ hasStart }) => hasStart,
    choose: (form, by) => {
      const all = silenceStarts(form);
      return { ...form, starts: all[wrapIndex(all.indexOf(form.starts) + by, all.length)] ?? 'now' };
    },
    type: (form, text) =>
      START_START.test(text) ? { ...form, starts: 'at', at: typedLine(text), field: 'at' } : typeReason(form, text),
    toggles: true,
  },
  { id: 'at', isVisited: ({ hasStart, starts }) => hasStart && starts === 'at', line: lineField('at') },
  ...RECURRENCE_FIELDS,
  { id: 'reason', mnemonic: 'r', line: lineField('reason') },
  { id: 'submit', choose: (form) => ({ ...form, field: 'cancel' }), type: typeReason },
  { id: 'cancel', choose: (form) => ({ ...form, field: 'submit' }), type: typeReason },
];

/**
 * Moves the focus to the reason and types text there. A user who types words on a choice or a button means the reason,
 * and the words must not change the choice.
 */
function typeReason(form: SilenceForm, text: string): SilenceForm {
  return { ...form, reason: editLine(form.reason, { kind: 'insert', text }), field: 'reason' };
}

function lineField(name: 'selector' | 'custom' | 'at' | 'reason'): NonNullable<FormField<SilenceForm>['line']> {
  return { of: (form) => form[name], with: (form, line) => ({ ...form, [name]: line }) };
}

export function nextSilenceForm(form: SilenceForm, step: FormStep): SilenceForm {
  const next = stepForm(SILENCE_FIELDS, { ...form, problem: undefined }, step);
  // A warning is shown again after any change: its message is gone, so the next Ctrl-S could not be meant as an answer.
  const isChange = step.kind !== 'field' && step.kind !== 'row';
  return isChange ? { ...next, isWarned: false, isWarnedUncounted: false } : next;
}

/**
 * Returns the scopes that the user can choose. A subscription is offered only if the clients of all targets share one,
 * and a scope that would create too many silences is not offered.
 */
export function silenceScopes({ origin, subscriptions, targets }: SilenceForm): readonly SilenceScope[] {
  if (origin !== undefined) return [];
  if (targets.length === 0) return ['search'];
  const { checks, clients, isMerged } = targetNames(targets);
  const isOffered: Readonly<Record<SilenceScope, boolean>> = {
    pairs: targets.length <= TARGETS_MAX,
    // In a merged list of several backends, neither the name of a check nor a search says which backend is meant.
    checks: checks.length <= TARGETS_MAX && !isMerged,
    clients: clients.length <= TARGETS_MAX,
    subscription: subscriptions.length > 0,
    search: !isMerged,
  };
  return SILENCE_SCOPES.filter((scope) => isOffered[scope]);
}

/**
 * Returns the starts that the user can choose. A merged list of several backends offers no recurrence, because some of
 * the backends possibly do not support it.
 */
export function silenceStarts({
  origin,
  targets,
}: Pick<SilenceForm, 'origin' | 'targets'>): readonly SilenceForm['starts'][] {
  const isMerged =
    targetNames(targets).isMerged ||
    (origin?.entries ?? []).some((entry) => splitName(contextPart(entry)).context !== undefined);
  return isMerged ? ['now', 'at'] : ['now', 'at', 'recurs'];
}

/** Returns the attribute of a silence that contains the name of its backend in a merged list. */
function contextPart({ subscription, check, selector }: SilencedRow): string {
  return selector ?? subscription ?? check ?? '';
}

/** Returns the problem if a text is not a valid selector of a silence; `undefined` if it is valid. */
export function selectorProblem(text: string): string | undefined {
  const selector = parseSelector(text);
  return selector.kind === 'problem' ? selector.message : undefined;
}

/** Returns the ids of the fields that Tab visits. Fields that belong to an option that is not chosen are left out. */
export function silenceFields(form: SilenceForm): readonly SilenceField[] {
  return visitedFields(SILENCE_FIELDS, form).map(({ id }) => id);
}

/** Returns the subscription, check or selector of each silence in the form, even if the form is incomplete. */
export function silenceScopeEntries(
  form: Pick<SilenceForm, 'targets' | 'origin' | 'scope' | 'subscriptions' | 'subscription' | 'selector'>,
): readonly SilenceTargetFields[] {
  if (form.origin !== undefined) return form.origin.entries.map(partsOf);
  switch (form.scope) {
    case 'pairs':
      return form.targets.map(({ client, check }) => ({ subscription: clientSubscription(client), check }));
    case 'checks':
      return targetNames(form.targets).checks.map((check) => ({ check }));
    case 'clients':
      return targetNames(form.targets).clients.map((client) => ({
        subscription: clientSubscription(client),
      }));
    case 'subscription': {
      const subscription = form.subscriptions[form.subscription];
      return subscription === undefined ? [] : [{ subscription }];
    }
    case 'search': {
      const selector = form.selector.text.trim();
      return selector === '' ? [] : [{ selector }];
    }
  }
}

interface SilenceTargetFields {
  readonly subscription?: string;
  readonly check?: string;
  readonly selector?: string;
}

/** Returns the subscription, check and selector of a silence, which together decide which events it covers. */
export function partsOf({ subscription, check, selector }: SilencedRow): SilenceTargetFields {
  return {
    ...(subscription !== null && { subscription }),
    ...(check !== null && { check }),
    ...(selector !== undefined && { selector }),
  };
}

/**
 * Returns whether each silence of the form ends when an event that it covers resolves. By default this is true for a
 * silence that starts now and covers one check of one client. A wider silence would end for all its events when the
 * first event resolves.
 */
export function endsOnResolve(form: SilenceForm): boolean {
  return form.onResolve ?? (form.starts === 'now' && !isWideSilence(form));
}

/** Returns whether a silence of the form covers more than a single check on a single client. */
export function isWideSilence(form: SilenceForm): boolean {
  if (form.origin === undefined && form.scope === 'search') return true;
  return silenceScopeEntries(form).some(
    ({ subscription, check }) => check === undefined || subscription?.startsWith(clientSubscription('')) !== true,
  );
}

function durationOf(form: SilenceForm): SilenceDuration | undefined {
  return silenceDurations(form)[form.duration];
}

/** Returns the start of the silences in epoch milliseconds; `undefined` if the typed start is invalid. */
export function silenceStartMs(form: SilenceForm, nowMs: number): number | undefined {
  if (form.starts !== 'at') return nowMs;
  const { atMs } = readStartTime(form.at.text, localClock(nowMs));
  return atMs === undefined ? undefined : Math.floor(atMs / 1000) * 1000;
}

/**
 * Returns the seconds from start to end. -1 means that the silence never expires, and `'keep'` that its end does not
 * change. Returns `undefined` if the typed duration is invalid.
 */
export function silenceSeconds(form: SilenceForm, startMs: number): number | 'keep' | undefined {
  const duration = durationOf(form);
  switch (duration?.kind) {
    case 'span':
      return duration.seconds;
    case 'until':
      return Math.ceil((nextTimeOfDay(duration.hour * HOUR_MS, startMs, localZone()) - startMs) / 1000);
    case 'keep':
      return 'keep';
    case 'custom':
    case undefined:
      return typedSeconds(form.custom.text.trim());
  }
}

/** Returns a typed duration in seconds; -1 for `never`, and `undefined` if the text is not a duration or is zero. */
export function typedSeconds(text: string): number | undefined {
  if (text === 'never') return EXPIRE_NEVER;
  const typed = readDuration(text);
  return 'problem' in typed || typed.seconds === 0 ? undefined : typed.seconds;
}

/** Returns what is wrong with a text for which `typedSeconds` returns `undefined`. */
export function durationProblem(text: string): string {
  const read = readDuration(text);
  return 'problem' in read && text.trim() !== '' ? read.problem : 'write a duration such as 90m, 2h or 1d12h, or never';
}

/** Returns the settings of a submitted form, with which another silence can be created later. */
export function lastSilenceOf(form: SilenceForm): LastSilence {
  const { scope, duration, custom, onResolve, starts, at, schedule, zone, lasts, firstDay, lastDay, reason } = form;
  const subscriptionName = scope === 'subscription' ? form.subscriptions[form.subscription] : undefined;
  const times = { duration, custom, onResolve, starts, at, schedule, zone, lasts, firstDay, lastDay };
  return { scope, ...times, reason, subscriptionName };
}

/** Returns a text field with what was typed or pasted on the choices before it. */
function typedLine(text: string): LineEditor {
  return editLine(EMPTY_LINE, { kind: 'insert', text });
}
