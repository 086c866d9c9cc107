import type { ListOfView } from '../list/list-of-view.ts';
import type { SilenceEntry } from '../screens/silences/table.ts';
import { selectedRows } from '../list/selected-rows.ts';
import { openSilenceFilter } from '../screens/silences/menu.ts';
import type { Action } from '../keys/action.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import { keyOf } from '../state/keys.ts';
import { countOf, type BulkChange } from '../words/changes.ts';
import { openConfirmation, namesWithinLimit } from '../form/confirm.ts';
import { silenceText } from '../screens/detail/lines.ts';
import { lostRecurrences } from '../screens/silences/lost-recurrence.ts';
import { sharedSubscriptions } from '../model/shared-subscriptions.ts';
import { recurringConflictText } from '../words/recurrence-text.ts';
import { targetText } from '../../shared/domain/silence-name.ts';
import { stillOpenTargets } from '../keys/targets.ts';
import type { EventTarget } from '../model/target.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen, SilenceDialogData } from '../state/ports.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openLayer } from '../state/layer-stack.ts';
import type { SilenceForm, SilenceOrigin, LastSilence } from '../state/layers/silence.ts';
import { openEntryForm, openSilenceForm, silenceScopeEntries, applyDraft } from '../screens/silences/form.ts';
import { silenceSubmission, silenceOperations, entryText } from '../screens/silences/submission.ts';

/** Opens a dialog that asks whether to silence events with the settings of the last silence. */
export function confirmRepeatSilence(store: ActionPorts, targets: readonly EventTarget[]): void {
  const last = store.lastSilence;
  if (last === undefined) return store.say(`no silence to repeat yet: press ${keyOf('silence')} to create one`);
  const openTargets = stillOpenTargets(store, targets, 'silence');
  if (openTargets.length === 0) return;
  const form = repeatedForm(last, openTargets, sharedSubscriptions(store, openTargets));
  const nowMs = store.options.now();
  const { creator } = store.options;
  const submission = silenceSubmission(form, { creator, policy: store.silencePolicy, nowMs });
  if (submission.kind === 'incomplete')
    return store.say(`${submission.problem}: press ${keyOf('silence')} to open the silence dialog`, 'problem');
  const [lost] = lostRecurrences(form, store.silenced);
  if (lost !== undefined) return store.say(recurringConflictText(lost), 'problem');
  const { total } = store.silencePreview(form);
  const operations = silenceOperations(submission.entries);
  const [first] = submission.entries;
  openConfirmation(store, {
    title: `Silence again: ${countOf(total, 'event')}`,
    lines: [
      ...namesWithinLimit(silenceScopeEntries(form).map((entry) => safeLine(targetText(entry)))),
      ...(first === undefined ? [] : [entryText(first)]),
    ],
    button: `Silence ${countOf(total, 'event')}`,
    count: operations.length,
    effect: { kind: 'change', change: { verb: 'repeat-silence', operations } },
  });
}

/**
 * Returns the change that ends silences. If somebody has replaced a silence since the console received it, the backend
 * does not end it.
 */
export function endSilences(store: Pick<LiveData, 'silenced'>, ids: readonly string[]): BulkChange {
  const operations = ids.map((id): BulkOperation => {
    const entry = store.silenced.get(id);
    return { op: 'clear', id, ...(entry !== undefined && { if_timestamp: entry.timestamp }) };
  });
  return { verb: 'end-silence', operations };
}

/** Opens a dialog that asks whether to end silences, because handlers are then notified of the covered events again. */
function confirmEndSilences(store: Screen & LiveData, entries: readonly SilencedRow[], focused?: 'cancel'): void {
  const existing = entries.filter(({ id }) => store.silenced.has(id));
  if (existing.length === 0)
    return store.say(`there is no silence to end here: press ${keyOf('silence-recreate')} to recreate an ended one`);
  const ids = existing.map(({ id }) => id);
  const button = `End ${countOf(existing.length, 'silence')}`;
  openConfirmation(store, {
    title: button,
    lines: [
      ...namesWithinLimit(existing.map((entry) => silenceText(entry, store.nowMs))),
      silenceEndText(store, ids),
      `${keyOf('undo')} undoes it.`,
    ],
    button,
    ...(focused !== undefined && { focused }),
    count: existing.length,
    effect: { kind: 'change', change: endSilences(store, ids) },
  });
}

/** Opens the silence dialog to change silences, to create ended silences again, or to create new silences. */
export function openSilenceEntries(
  store: Screen & Pick<SilenceDialogData, 'silenceDraft'>,
  origin: SilenceOrigin,
): void {
  if (origin.entries.length === 0) {
    return store.say(
      origin.kind === 'change'
        ? `there is no silence to change: press ${keyOf('silence-recreate')} to recreate an ended one`
        : `this silence has not ended: press ${keyOf('silence-change')} to change the silence`,
    );
  }
  const form = openEntryForm(origin, store.options.now());
  openLayer(store, { kind: 'silence', form: origin.kind === 'new' ? applyDraft(form, store.silenceDraft) : form });
  store.request({ kind: 'load-silence-policy' });
}

/**
 * Returns a text that says how many events would no longer be silenced. It visits all events, so it is not called for
 * each frame.
 */
function silenceEndText(store: Pick<LiveData, 'events'>, ids: readonly string[]): string {
  const ended = new Set(ids);
  let count = 0;
  for (const { row } of store.events.records()) {
    if (row.silenced_by.length > 0 && row.silenced_by.every((id) => ended.has(id))) count += 1;
  }
  return count === 0 ? 'This unsilences no event.' : `This unsilences ${countOf(count, 'event')}.`;
}

function repeatedForm(
  last: LastSilence,
  targets: readonly EventTarget[],
  subscriptions: readonly string[],
): SilenceForm {
  const { subscriptionName, ...settings } = last;
  const subscription = subscriptionName === undefined ? -1 : subscriptions.indexOf(subscriptionName);
  const form = { ...openSilenceForm(targets, subscriptions), ...settings };
  // The search of the last silence possibly does not match these events.
  if (settings.scope === 'search') return { ...form, scope: 'pairs' };
  // If the clients do not share the subscription of the last silence, a silence for it would cover the wrong events.
  if (settings.scope === 'subscription' && subscription === -1) return { ...form, scope: 'pairs' };
  return { ...form, subscription: Math.max(0, subscription) };
}

/** The actions on silences, in the list of silences and on the screen of a single one. */
export const SILENCE_ACTIONS: readonly Action[] = [
  {
    name: 'silence-change',
    keys: ['e'],
    in: ['silences', 'silence-entry'],
    help: 'change or extend the marked silences, or the one at the cursor; the creator stays the same',
    hint: 'change',
    changes: true,
    run: (store) => openSilenceEntries(store, { kind: 'change', entries: currentSilences(store) }),
  },
  {
    name: 'silence-end',
    keys: ['u'],
    in: ['silences', 'silence-entry'],
    help: 'end the marked silences now, or the one at the cursor',
    hint: 'end',
    changes: true,
    run: (store) => confirmEndSilences(store, currentSilences(store)),
  },
  {
    name: 'silence-delete',
    keys: ['D'],
    in: ['silences', 'silence-entry'],
    help: 'end the marked silences, or the one at the cursor; asks first, Enter cancels',
    changes: true,
    run: (store) => confirmEndSilences(store, currentSilences(store), 'cancel'),
  },
  {
    name: 'silence-recreate',
    keys: ['N'],
    in: ['silences', 'silence-entry'],
    help: 'recreate the marked ended silences, or the one at the cursor',
    changes: true,
    run: (store) => openSilenceEntries(store, { kind: 'again', entries: endedSilences(store) }),
  },
  {
    name: 'silence-filter',
    keys: ['f'],
    in: ['silences'],
    help: 'choose which silences to show: active, pending, expiring, ended, your own, matching no event',
    hint: 'show',
    run: openSilenceFilter,
  },
];

function currentSilences(store: ActionPorts): readonly SilencedRow[] {
  const layer = store.state.layers.at(-1);
  if (layer?.kind === 'silence-entry') return [store.silenced.get(layer.id) ?? []].flat();
  return selectedSilences(store).flatMap(({ entry, endedAtMs }) => (endedAtMs === undefined ? [entry] : []));
}

function endedSilences(store: ActionPorts): readonly SilencedRow[] {
  const layer = store.state.layers.at(-1);
  if (layer?.kind !== 'silence-entry') {
    return selectedSilences(store).flatMap(({ entry, endedAtMs }) => (endedAtMs === undefined ? [] : [entry]));
  }
  const ended = store.silenced.has(layer.id) ? undefined : store.silenceHistory.get(layer.id, store.options.now());
  return ended === undefined ? [] : [ended.entry];
}

/** Returns the rows of the marked silences, or of the silence under the cursor. */
function selectedSilences(store: Pick<ListOfView, 'list' | 'rows'>): readonly SilenceEntry[] {
  return selectedRows(store) as readonly SilenceEntry[];
}
