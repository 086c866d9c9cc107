import { recurrenceOf } from '../../shared/domain/recurrence.ts';
import { recurrenceText } from './recurrence-text.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import { parseExpiry } from '../../shared/domain/expiry.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { BulkOperation, BulkOutcome, BulkRefusal } from '../../shared/schemas/bulk.ts';
import type { SilencedTargetAttributes } from '../../shared/schemas/silenced.ts';
import { countText } from './count-text.ts';
import { targetText, targetTextOfId } from '../../shared/domain/silence-name.ts';
import { silenceTimesText } from './silence-text.ts';

/** The kind of a change, which decides the wording of its report. */
export type ChangeVerb =
  | 'silence'
  | 'repeat-silence'
  | 'acknowledge'
  | 'unacknowledge'
  | 'change-silence'
  | 'end-silence'
  | 'resolve'
  | 'undo';

/** A change that consists of one or more operations and is sent to the backend as one request. */
export interface BulkChange {
  readonly verb: ChangeVerb;
  readonly operations: readonly BulkOperation[];
}

/**
 * Names of silences by id, for the operations that end a silence. They contain only an id, and the id of a silence by
 * search is a hash.
 */
export type SilenceNames = ReadonlyMap<string, string>;

const NO_NAMES: SilenceNames = new Map();

/** Returns the names of the silences that these operations end, from the current silences. */
export function namesOfEnded(
  operations: readonly BulkOperation[],
  silenced: ReadonlyMap<string, SilencedTargetAttributes & { readonly id: string }>,
): SilenceNames {
  return new Map(
    operations.flatMap((operation) => {
      const entry = operation.op === 'clear' ? silenced.get(operation.id) : undefined;
      return entry === undefined ? [] : [[entry.id, targetText(entry)] as const];
    }),
  );
}

interface ChangeWords {
  /** The past participle in reports: `resolved` in `3 events resolved`. */
  readonly done: string;
  readonly noun: string;
}

const VERB_WORDS: Readonly<Record<ChangeVerb, ChangeWords>> = {
  silence: { done: 'created', noun: 'silence' },
  'repeat-silence': { done: 'created', noun: 'silence' },
  acknowledge: { done: 'acknowledged', noun: 'event' },
  unacknowledge: { done: 'no longer acknowledged', noun: 'event' },
  'change-silence': { done: 'changed', noun: 'silence' },
  'end-silence': { done: 'ended', noun: 'silence' },
  resolve: { done: 'resolved', noun: 'event' },
  undo: { done: 'undone', noun: 'change' },
};

const REFUSAL_TEXTS: Readonly<Record<BulkRefusal, string>> = {
  not_found: 'it no longer exists',
  changed: 'it was changed meanwhile',
  expired: 'it would have ended by now',
};

/** The outcome of an operation. In a merged list, `problem` is the reason why the request to its backend failed. */
export type OutcomeWithReason = BulkOutcome & { readonly problem?: string };

/** The outcome of one operation of a change, as text for the user. */
export interface ChangeOutcome {
  /** Name of the changed object, safe for a terminal. */
  readonly name: string;
  /** Why the operation failed; `undefined` if it succeeded. */
  readonly problem: string | undefined;
}

/** The report of a change, as the console shows it. */
export interface ChangeReport {
  readonly title: string;
  readonly isComplete: boolean;
  /** A line for each failed operation with the reason, then a line for each success; empty if the title says enough. */
  readonly lines: readonly string[];
}

/** Returns the outcome of each operation of a change. An operation without a result counts as failed. */
export function changeOutcomes(
  { operations }: Pick<BulkChange, 'operations'>,
  results: readonly BulkOutcome[],
  names = NO_NAMES,
): readonly ChangeOutcome[] {
  return operations.map((operation, index) => ({
    name: operationName(operation, names),
    problem: problemOf(operation, results[index]),
  }));
}

/**
 * Returns the report of a change. If some of its operations succeeded and others failed, the report lists each
 * operation. After new or changed silences that have the same start and end, it says when these are.
 */
export function changeReport(
  { verb, operations }: BulkChange,
  outcomes: readonly ChangeOutcome[],
  nowMs: number,
): ChangeReport {
  const report = outcomeReport(VERB_WORDS[verb], outcomes);
  const periods = operations.map((operation) => (operation.op === 'silence' ? silenceTimesText(operation, nowMs) : ''));
  const [period = '', ...others] = new Set(periods);
  if (!report.isComplete || period === '' || others.length > 0) return report;
  return { ...report, title: `${report.title}, ${period}` };
}

/** Returns the report of a change that has no `ChangeVerb`, with the given participle and noun. */
export function outcomeReport({ done, noun }: ChangeWords, outcomes: readonly ChangeOutcome[]): ChangeReport {
  const failed = outcomes.filter(({ problem }) => problem !== undefined);
  const succeeded = outcomes.length - failed.length;
  const [only] = outcomes;
  if (failed.length === 0) {
    const name = outcomes.length === 1 && only !== undefined ? `: ${only.name}` : '';
    return { title: `${countOf(succeeded, noun)} ${done}${name}`, isComplete: true, lines: [] };
  }
  if (outcomes.length === 1 && only?.problem !== undefined) {
    return { title: `${only.name} not ${done}: ${only.problem}`, isComplete: false, lines: [] };
  }
  const went = outcomes.filter(({ problem }) => problem === undefined).map(({ name }) => `${done}: ${name}`);
  return {
    title: `${String(succeeded)} of ${countOf(outcomes.length, noun)} ${done}`,
    isComplete: false,
    lines: [...failed.map(({ name, problem }) => `not ${done}: ${name}: ${problem ?? ''}`), ...went],
  };
}

/** Returns the report of a change that the backend rejected as a whole. */
export function refusedReport(change: BulkChange, problem: string, names = NO_NAMES): ChangeReport {
  const { done, noun } = VERB_WORDS[change.verb];
  const [only] = change.operations;
  const name =
    only !== undefined && change.operations.length === 1
      ? operationName(only, names)
      : countOf(change.operations.length, noun);
  return { title: `${name} not ${done}: ${problem}`, isComplete: false, lines: [] };
}

/**
 * Returns the name of the object that an operation changes: `client/check`, or the name of a silence. Safe for a
 * terminal.
 */
export function operationName(operation: BulkOperation, names = NO_NAMES): string {
  switch (operation.op) {
    case 'silence':
      return safeLine(targetText(operation));
    case 'clear':
      return safeLine(names.get(operation.id) ?? targetTextOfId(operation.id));
    case 'resolve':
    case 'acknowledge':
    case 'unacknowledge':
      return safeLine(`${operation.client}/${operation.check}`);
    case 'restore':
      return safeLine(targetText(operation.entry));
  }
}

/** Returns a description of the exact effect of an operation that undoes a change. Safe for a terminal. */
export function undoText(operation: BulkOperation, nowMs: number, names = NO_NAMES): string {
  if (operation.op === 'clear') return `ends the silence ${operationName(operation, names)}`;
  if (operation.op === 'unacknowledge') return `removes the acknowledgement of ${operationName(operation)}`;
  if (operation.op === 'acknowledge') {
    return safeLine(`restores the acknowledgement of ${operationName(operation)} by ${operation.owner ?? 'its owner'}`);
  }
  if (operation.op !== 'restore') return operationName(operation);
  const { creator, expire_at: end } = operation.entry;
  const endMs = parseExpiry(end);
  const by = creator === null ? '' : ` by ${creator}`;
  const { recurrence } = operation.entry;
  const ends = endMs === null ? 'never expires' : `${formatDuration((endMs - nowMs) / 1000)} left`;
  const left = recurrence === undefined ? ends : `recurring ${recurrenceText(recurrenceOf(recurrence))}`;
  const again = operation.if_timestamp === null ? 'recreates' : 'restores';
  return safeLine(`${again}: ${targetText(operation.entry)}${by}, ${left}`);
}

export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

function problemOf(operation: BulkOperation, outcome: OutcomeWithReason | undefined): string | undefined {
  if (outcome === undefined) return 'the backend sent no outcome';
  if (outcome.ok) return undefined;
  if (outcome.problem !== undefined) return outcome.problem;
  // The event or silence is already gone, as the operation intended, so this is no failure.
  if (outcome.error === 'not_found' && operation.op !== 'restore') return undefined;
  return outcome.error === undefined ? 'the backend gave no reason' : REFUSAL_TEXTS[outcome.error];
}
