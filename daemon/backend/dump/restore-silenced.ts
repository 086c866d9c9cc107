import { lostAttributes } from '../../../shared/domain/v2/import-losses.ts';
import { v2SilencedOf, partsOfV2Silenced, silencedOfV2 } from '../../../shared/domain/v2/silenced.ts';
import { unwrapObject, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { parseExpiry } from '../../../shared/domain/expiry.ts';
import { parseSelector } from '../../../shared/domain/selector.ts';
import {
  toCurrentWindow,
  entryId,
  withCurrentWindow,
  isExpiredForGood,
  isSelectorId,
  copyReminder,
  replacementProblem,
  silencedEntry,
} from '../../../shared/domain/silencing.ts';
import { v2SilencedSchema } from '../../../shared/schemas/v2/silenced.ts';
import { exactSilencedSchema } from '../../../shared/schemas/exact-state.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import type { RestoreResult } from '../../../shared/schemas/restore.ts';
import type { StoredSilenceCounters, SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { Namespace } from '../model/registry/namespace.ts';
import {
  EXACT_LOST,
  exactCopyOf,
  matchesExactCopy,
  skippedResult,
  restoreState,
  type RestoreContext,
} from './restore-context.ts';
import { saveSilenced, saveSilencedUse } from '../model/silences/mutations.ts';
import { costProblem } from '../model/silences/selector-budget.ts';
import { ZERO_COUNTERS } from '../model/silences/state.ts';
import { dumpedSilenced } from '../model/silences/storage.ts';

interface SilencedState {
  readonly entry: SilencedEntry;
  readonly use: StoredSilenceCounters | undefined;
}

export function restoreSilenced(context: RestoreContext, namespace: Namespace, object: WrappedObject): RestoreResult {
  const { transaction, by, silencesMax } = context;
  const exact = exactState(namespace.name, object, transaction.nowMs);
  const dumped = exact ?? translateSilenced(namespace, object, transaction.nowMs);
  if ('problem' in dumped) return skippedResult(dumped.problem);
  const present = namespace.silenced.get(dumped.entry.id);
  const after =
    present === undefined ? dumped : mergedWithExisting(dumped, present, namespace.silenced.use(present.id));
  const selector = after.entry.selector === undefined ? undefined : parseSelector(after.entry.selector);
  if (selector?.kind === 'problem') return skippedResult(`the selector is invalid: ${selector.message}`);
  if (isExpiredForGood(after.entry, transaction.nowMs)) return skippedResult('the silence has expired');
  const costly = selector?.kind === 'selector' ? costProblem(namespace, [selector]) : undefined;
  if (costly !== undefined) return skippedResult(costly);
  if (present === undefined && namespace.silenced.size >= silencesMax) {
    return skippedResult(`the limit of ${String(silencesMax)} silences is reached: clear some first`);
  }
  const before =
    present === undefined
      ? undefined
      : { entry: toCurrentWindow(present, transaction.nowMs), use: namespace.silenced.use(present.id) };
  const refused = replacementProblem(before?.entry, after.entry);
  if (refused !== undefined) return skippedResult(refused);
  const lost =
    exact === undefined
      ? [
          ...('mon' in object.spec ? [EXACT_LOST] : []),
          // `expire` is not compared, because it is a duration relative to the time of the dump. The end of the silence
          // is compared instead.
          ...lostAttributes(
            { ...object.spec, mon: undefined, expire: undefined },
            { ...v2SilencedOf(namespace.name, after.entry) },
          ),
        ]
      : [];
  return restoreState(
    context,
    { before, after },
    () => {
      saveSilenced(transaction, namespace, after.entry, by);
      if (after.use !== undefined) saveSilencedUse(transaction, namespace, after.entry.id, after.use);
    },
    lost,
  );
}

/**
 * Returns the dumped state of a silence, merged with the existing silence. It keeps the existing `unmatched_since`, so
 * that the idle time continues. If the end of the silence is the same, it also keeps the record that a reminder was
 * sent.
 */
function mergedWithExisting(
  { entry: dumped, use }: SilencedState,
  present: SilencedEntry,
  presentUse: StoredSilenceCounters | undefined,
): SilencedState {
  const entry = copyReminder(dumped, present);
  // The silence may have matched events here even if it has suppressed nothing yet.
  const keptUse = use ?? (presentUse?.suppressed === 0 ? ZERO_COUNTERS : undefined);
  if (keptUse === undefined) return { entry, use };
  const { unmatched_since: _ofThen, ...remaining }: StoredSilenceCounters = keptUse;
  const since = presentUse?.unmatched_since;
  return { entry, use: since === undefined ? remaining : { ...remaining, unmatched_since: since } };
}

function exactState(namespace: string, object: WrappedObject, nowMs: number): SilencedState | undefined {
  const exact = exactCopyOf(exactSilencedSchema, object);
  if (exact === undefined) return undefined;
  const { use } = exact;
  const { expire_at: end, reminded, ...attributes } = exact.entry;
  const entry = {
    ...attributes,
    ...(reminded && { reminder_sent: reminded }),
    id: entryId(attributes),
    expireAtMs: parseExpiry(end),
  };
  if (!matchesExactCopy(object, dumpedSilenced(namespace, entry, use))) return undefined;
  return { entry: withCurrentWindow(entry, nowMs), use };
}

function translateSilenced(
  namespace: Namespace,
  object: WrappedObject,
  nowMs: number,
): SilencedState | { readonly problem: string } {
  const parsed = v2SilencedSchema.safeParse({ ...unwrapObject(object), mon: undefined });
  if (!parsed.success) return { problem: problemsOf(parsed.error) };
  if (isSelectorId(parsed.data.metadata?.name ?? '')) {
    return {
      problem:
        'the dump contains an edited copy of this silence, which has a selector: it cannot be restored, create the silence again',
    };
  }
  if (isRecurringSilence(object))
    return {
      problem:
        'the dump contains an edited copy of this recurring silence: it cannot be restored, create the silence again',
    };
  const parts = partsOfV2Silenced(parsed.data);
  if (parts === undefined) return { problem: 'the silence has neither a subscription nor a check' };
  const { request, overrides: over } = silencedOfV2(parsed.data, parts, undefined);
  const begin = parsed.data.begin ?? 0;
  // Compute the end from the dumped begin. If it were computed from now, a silence of one hour would last another hour.
  const made = silencedEntry(request, begin > 0 ? Math.min(begin * 1000, nowMs) : nowMs);
  const present = namespace.silenced.get(made.id);
  return { entry: { ...made, ...over }, use: present === undefined ? undefined : namespace.silenced.use(present.id) };
}

/**
 * True if the exact copy in the dump is a recurring silence. The v2 attributes contain only one of its windows, so a
 * silence made from them would be active only once.
 */
function isRecurringSilence({ spec }: WrappedObject): boolean {
  const exact = spec['mon'];
  if (typeof exact !== 'object' || exact === null || !('entry' in exact)) return false;
  return typeof exact.entry === 'object' && exact.entry !== null && 'recurrence' in exact.entry;
}
