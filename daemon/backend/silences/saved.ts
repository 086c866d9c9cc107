import type { KeptUse, SilencedEntry, SilenceIdle } from '../../../shared/schemas/silenced.ts';
import type { Transaction } from '../commit/transaction.ts';
import type { Namespace } from '../registry/namespace.ts';
import { isAnySilencedBy } from '../registry/named-by.ts';
import { noteSilence, noteSilenceEnd } from '../timeline/saved.ts';
import { changeOf } from './state.ts';
import { SILENCED, SILENCED_USES } from './table.ts';

/**
 * In place of the one with the same id, whose use ends with it.
 *
 * @param by who makes it
 */
export function saveSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, by: string): void {
  noteSilence(transaction, namespace, entry, by);
  forgetUse(transaction, namespace, entry);
  renewSilenced(transaction, namespace, entry);
}

/**
 * One that is held until its holder ends it, which nobody knows when: the timeline is told of no end.
 *
 * @param by who holds it
 */
export function saveHeld(transaction: Transaction, namespace: Namespace, entry: SilencedEntry, by: string): void {
  noteSilence(transaction, namespace, { ...entry, expireAtMs: null }, by);
  forgetUse(transaction, namespace, entry);
  renewSilenced(transaction, namespace, entry);
}

/** An entry with another end, of which only those hear who show it. */
export function renewSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  transaction.put(SILENCED, namespace, entry, entry);
  noteSilenced(transaction, namespace, entry);
}

/** An entry with its next window, at the end of one; what it has kept back goes on to be counted. */
export function beginWindow(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  // What was open through all of the window it kept quiet, also where nothing came of it meanwhile.
  const isMatched = isAnySilencedBy(namespace, changeOf(namespace.name, entry));
  if (isMatched) noteMatched(transaction, namespace, [entry.id]);
  noteSilenceEnd(transaction, namespace, entry, undefined);
  noteSilence(transaction, namespace, entry, undefined);
  renewSilenced(transaction, namespace, isMatched ? unmarked(entry) : entry);
}

/** An entry with the window that it had before the clock was corrected: of which nothing is told twice. */
export function resumeWindow(
  transaction: Transaction,
  namespace: Namespace,
  entry: SilencedEntry,
  { reminder_sent }: Pick<SilencedEntry, 'reminder_sent'>,
): void {
  renewSilenced(transaction, namespace, reminder_sent === undefined ? entry : { ...entry, reminder_sent });
}

/**
 * @param by who ends it; undefined: it ends as it said it would
 * @param reason why, where they say so
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

/** Announces that an entry, and with it the silenced state of the events it names, is no longer what it was. */
export function noteSilenced(transaction: Transaction, namespace: Namespace, entry: SilencedEntry): void {
  transaction.note(changeOf(namespace.name, entry));
}

/** Counts one run of a handler that these silenced entries kept back. */
export function noteSuppressed(transaction: Transaction, namespace: Namespace, ids: readonly string[]): void {
  for (const id of ids) {
    namespace.silenced.countUse(id, transaction.now);
    noteUse(transaction, namespace, id);
    wake(transaction, namespace, id);
  }
}

/** Notes that these silenced entries silence an event that begins, is open or ends. */
export function noteMatched(transaction: Transaction, namespace: Namespace, ids: readonly string[]): void {
  for (const id of ids) {
    if (namespace.silenced.countMatch(id, transaction.now)) noteUse(transaction, namespace, id);
    wake(transaction, namespace, id);
  }
}

/** Counts from here on how long an entry matches nothing, epoch seconds. */
export function countUnmatched(transaction: Transaction, namespace: Namespace, id: string, since: number): void {
  namespace.silenced.countFrom(id, since);
  noteUse(transaction, namespace, id);
}

/** Marks an entry as idle, or with another mark; undefined: takes the mark away. */
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

/** What a silenced entry has kept back before it came here. */
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
