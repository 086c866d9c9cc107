import type { StoredSilenceCounters, SilencedEntry, SilenceIdle } from '../../../../shared/schemas/silenced.ts';
import type { Transaction } from '../transaction/transaction.ts';
import type { Namespace } from '../registry/namespace.ts';
import { isAnySilencedBy } from '../registry/silenced-events.ts';
import { recordSilence, recordSilenceEnd } from '../timeline/mutations.ts';
import { silencedChangeOf } from './state.ts';
import { SILENCE_RECORDS, SILENCED_USES } from './storage.ts';

/**
 * Stores a silence, resets its counters of suppressed notifications, and records it in the timeline. A silence with the
 * same id is replaced.
 *
 * @param by name of the user who creates the silence
 */
export function saveSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, by: string): void {
  recordSilence(transaction, namespace, entry, by);
  forgetUse(transaction, namespace, entry);
  renewSilenced(transaction, namespace, entry);
}

/**
 * Stores the silence of a command, which lasts as long as the command runs. The timeline records no end for it, because
 * the end is unknown until the command ends.
 *
 * @param by name of the user who runs the command
 */
export function saveCommandSilence(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: string,
): void {
  recordSilence(transaction, namespace, { ...entry, expireAtMs: null }, by);
  forgetUse(transaction, namespace, entry);
  renewSilenced(transaction, namespace, entry);
}

/**
 * Stores a silence with changed attributes, such as a new end, and announces it. Nothing is recorded in the timeline,
 * and the counters of the silence are not reset.
 */
export function renewSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  transaction.put(SILENCE_RECORDS, namespace, entry, entry);
  announceSilence(transaction, namespace, entry);
}

/**
 * Stores a recurring silence with its next window after the previous window has ended. Records in the timeline that the
 * previous window ended and the next began. The counters of suppressed notifications are not reset.
 */
export function beginWindow(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  // Matches are usually recorded when an event opens or resolves. An event that was open through the whole window is
  // recorded as a match here.
  const isMatched = isAnySilencedBy(namespace, silencedChangeOf(namespace.name, entry));
  if (isMatched) countMatches(transaction, namespace, [entry.id]);
  recordSilenceEnd(transaction, namespace, entry, undefined);
  recordSilence(transaction, namespace, entry, undefined);
  renewSilenced(transaction, namespace, isMatched ? removeIdleMark(entry) : entry);
}

/**
 * Stores a recurring silence whose window is still the same after a clock correction. It keeps the record that the
 * reminder was sent, so that no second reminder is sent. Nothing is recorded in the timeline, so that no second begin
 * is recorded.
 */
export function resumeWindow(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  { reminder_sent }: Pick<SilencedEntry, 'reminder_sent'>,
): void {
  renewSilenced(transaction, namespace, reminder_sent === undefined ? entry : { ...entry, reminder_sent });
}

/**
 * Removes a silence with its counters, and records its end in the timeline.
 *
 * @param by name of the user who ends the silence; undefined if it expired
 * @param reason why it was ended; undefined if no reason was given
 */
export function removeSilenced(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: string | undefined,
  reason?: string,
): void {
  recordSilenceEnd(transaction, namespace, entry, by, reason);
  forgetUse(transaction, namespace, entry);
  transaction.remove(SILENCE_RECORDS, namespace, entry);
  announceSilence(transaction, namespace, entry);
}

/** Announces that a silence changed. Readers thereby also look again at the events that it matches. */
export function announceSilence(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  transaction.addChange(silencedChangeOf(namespace.name, entry));
}

/**
 * Counts a suppressed handler run for each of these silences. If they were marked as idle (no match for long), removes
 * the mark.
 */
export function countSuppressedRuns(transaction: Transaction, namespace: Namespace, ids: readonly string[]): void {
  for (const id of ids) {
    namespace.silenced.countSuppressedRun(id, transaction.now);
    storeCounters(transaction, namespace, id);
    clearIdleMark(transaction, namespace, id);
  }
}

/**
 * Records for each of these silences that it matches an event. If they were marked as idle (no match for long), removes
 * the mark.
 */
export function countMatches(transaction: Transaction, namespace: Namespace, ids: readonly string[]): void {
  for (const id of ids) {
    if (namespace.silenced.countMatch(id, transaction.now)) storeCounters(transaction, namespace, id);
    clearIdleMark(transaction, namespace, id);
  }
}

/** Starts to measure the time since the last match of a silence. @param since start of that time in epoch seconds */
export function countUnmatched(transaction: Transaction, namespace: Namespace, id: string, since: number): void {
  namespace.silenced.countFrom(id, since);
  storeCounters(transaction, namespace, id);
}

/**
 * Marks a silence as idle (no match for long), or removes the mark.
 *
 * @param idle the new mark; undefined removes the mark
 */
export function markIdle(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  idle: SilenceIdle | undefined,
): void {
  renewSilenced(transaction, namespace, idle === undefined ? removeIdleMark(entry) : { ...entry, idle });
}

function removeIdleMark({ idle: _before, ...entry }: SilencedEntry): SilencedEntry {
  return entry;
}

function clearIdleMark(transaction: Transaction, namespace: Namespace, id: string): void {
  const entry = namespace.silenced.get(id);
  if (entry?.idle !== undefined) markIdle(transaction, namespace, entry, undefined);
}

/** Stores the counters of a silence that was restored from a dump. */
export function saveSilencedUse(
  transaction: Transaction,
  namespace: Namespace,
  id: string,
  use: StoredSilenceCounters,
): void {
  namespace.silenced.loadUse(id, use);
  storeCounters(transaction, namespace, id);
}

function storeCounters(transaction: Transaction, namespace: Namespace, id: string): void {
  const entry = namespace.silenced.get(id);
  if (entry !== undefined) transaction.putLatest(SILENCED_USES, namespace, entry);
}

function forgetUse(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  if (namespace.silenced.use(entry.id) === undefined) return;
  namespace.silenced.forgetUse(entry.id);
  transaction.erase(SILENCED_USES.key(namespace, entry));
}
