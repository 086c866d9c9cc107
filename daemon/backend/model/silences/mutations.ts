import type { KeptUse, SilencedEntry, SilenceIdle } from '../../../../shared/schemas/silenced.ts';
import type { Transaction } from '../transaction/transaction.ts';
import type { Namespace } from '../registry/namespace.ts';
import { isAnySilencedBy } from '../registry/silenced-events.ts';
import { noteSilence, noteSilenceEnd } from '../timeline/mutations.ts';
import { silencedChangeOf } from './state.ts';
import { SILENCED, SILENCED_USES } from './storage.ts';

/**
 * Stores an entry in place of the one with the same id, and resets its counters.
 *
 * @param by name of the user who creates it
 */
export function saveSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, by: string): void {
  noteSilence(transaction, namespace, entry, by);
  forgetUse(transaction, namespace, entry);
  renewSilenced(transaction, namespace, entry);
}

/**
 * Stores an entry that is held until its holder ends it. Its end is unknown, so the timeline records none.
 *
 * @param by name of the user who holds it
 */
export function saveCommandSilence(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: string,
): void {
  noteSilence(transaction, namespace, { ...entry, expireAtMs: null }, by);
  forgetUse(transaction, namespace, entry);
  renewSilenced(transaction, namespace, entry);
}

/** Stores an entry with another end, and announces it without a record in the timeline. */
export function renewSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  transaction.put(SILENCED, namespace, entry, entry);
  noteSilenced(transaction, namespace, entry);
}

/** Stores an entry with its next window, at the end of one; its counters continue. */
export function beginWindow(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  // An event that was open through the whole window counts as a match, although nothing happened to it.
  const isMatched = isAnySilencedBy(namespace, silencedChangeOf(namespace.name, entry));
  if (isMatched) noteMatched(transaction, namespace, [entry.id]);
  noteSilenceEnd(transaction, namespace, entry, undefined);
  noteSilence(transaction, namespace, entry, undefined);
  renewSilenced(transaction, namespace, isMatched ? unmarked(entry) : entry);
}

/** Stores an entry with the window that it had before a clock correction, so that nothing is announced twice. */
export function resumeWindow(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  { reminder_sent }: Pick<SilencedEntry, 'reminder_sent'>,
): void {
  renewSilenced(transaction, namespace, reminder_sent === undefined ? entry : { ...entry, reminder_sent });
}

/**
 * @param by name of the user who ends it; undefined: it expired
 * @param reason why it was ended, if given
 */
export function removeSilenced(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  by: string | undefined,
  reason?: string,
): void {
  noteSilenceEnd(transaction, namespace, entry, by, reason);
  forgetUse(transaction, namespace, entry);
  transaction.remove(SILENCED, namespace, entry);
  noteSilenced(transaction, namespace, entry);
}

/** Announces that an entry, and the silenced state of the events it covers, has changed. */
export function noteSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  transaction.note(silencedChangeOf(namespace.name, entry));
}

/** Counts one handler run that these silenced entries suppressed. */
export function noteSuppressed(transaction: Transaction, namespace: Namespace, ids: readonly string[]): void {
  for (const id of ids) {
    namespace.silenced.countUse(id, transaction.now);
    noteUse(transaction, namespace, id);
    wake(transaction, namespace, id);
  }
}

/** Records that these silenced entries cover an event that begins, is open or ends. */
export function noteMatched(transaction: Transaction, namespace: Namespace, ids: readonly string[]): void {
  for (const id of ids) {
    if (namespace.silenced.countMatch(id, transaction.now)) noteUse(transaction, namespace, id);
    wake(transaction, namespace, id);
  }
}

/** Starts the count of the time for which an entry matches nothing, in epoch seconds. */
export function countUnmatched(transaction: Transaction, namespace: Namespace, id: string, since: number): void {
  namespace.silenced.countFrom(id, since);
  noteUse(transaction, namespace, id);
}

/** Marks an entry as idle, or with another mark; undefined: removes the mark. */
export function markIdle(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  idle: SilenceIdle | undefined,
): void {
  renewSilenced(transaction, namespace, idle === undefined ? unmarked(entry) : { ...entry, idle });
}

function unmarked({ idle: _before, ...entry }: SilencedEntry): SilencedEntry {
  return entry;
}

function wake(transaction: Transaction, namespace: Namespace, id: string): void {
  const entry = namespace.silenced.get(id);
  if (entry?.idle !== undefined) markIdle(transaction, namespace, entry, undefined);
}

/** Sets the counters of a silenced entry that was restored. */
export function saveSilencedUse(transaction: Transaction, namespace: Namespace, id: string, use: KeptUse): void {
  namespace.silenced.loadUse(id, use);
  noteUse(transaction, namespace, id);
}

function noteUse(transaction: Transaction, namespace: Namespace, id: string): void {
  const entry = namespace.silenced.get(id);
  if (entry !== undefined) transaction.putLatest(SILENCED_USES, namespace, entry);
}

function forgetUse(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  if (namespace.silenced.use(entry.id) === undefined) return;
  namespace.silenced.forgetUse(entry.id);
  transaction.erase(SILENCED_USES.key(namespace, entry));
}
