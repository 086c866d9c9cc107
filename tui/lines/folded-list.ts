import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { classRankOf, EventRecord } from '../model/event-record.ts';
import { foldingOf, type FoldCriterion } from '../model/fold-by.ts';
import { countOf } from '../words/changes.ts';
import { eventRowKey } from './events.ts';
import type { LinePrompt } from './line-prompt.ts';
import { requestedCount, printFirstItems } from './list-output.ts';
import { countsWords, eventSentence } from './sentences.ts';
import type { LinesState } from './state.ts';

/** The ways to fold events in which each event belongs to one fold. */
const SPOKEN_FOLDS: readonly FoldCriterion[] = ['check', 'output', 'cause'];

/** Reads the events with similar events as one item each, the worst and largest first. */
export function listFolded(state: LinesState, prompt: LinePrompt, args: string): void {
  const [, name = '', number = ''] = /^(\S*)\s*(.*)$/.exec(args) ?? [];
  const by = SPOKEN_FOLDS.find((one) => one === name);
  if (by === undefined) return prompt.say(`Type one of: ${SPOKEN_FOLDS.map((one) => `list by ${one}`).join(', ')}`);
  const count = requestedCount(prompt, `list by ${by}`, number);
  if (count === undefined) return;
  const folds = foldRows(state.shown(), by);
  const [first] = folds.flat();
  if (first === undefined) return prompt.say('There is no event to list.');
  printFirstItems(prompt, count, folds, (rows) => foldSentence(rows, by, state.nowMs));
  state.goTo(first);
}

/** Returns the events in groups: the worst group first, and the largest first among equally bad groups. */
function foldRows(rows: readonly EventRow[], by: FoldCriterion): readonly (readonly EventRow[])[] {
  const { valueOf } = foldingOf(by);
  const records = rows.map((row) => new EventRecord(eventRowKey(row), row));
  const groups = [...Map.groupBy(records, (record) => [valueOf(record)].flat()[0]).values()];
  return groups
    .toSorted((a, b) => rankOf(a) - rankOf(b) || b.length - a.length)
    .map((group) => group.map(({ row }) => row));
}

/** Returns the rank of the first event of a group, which is the worst. */
function rankOf([first]: readonly EventRecord[]): number {
  return first === undefined ? 0 : classRankOf(first);
}

/** Returns a sentence such as `http, 3 events: 2 critical, 1 warning. First critical: http on web-1: HTTP 502`. */
function foldSentence(rows: readonly EventRow[], by: FoldCriterion, nowMs: number): string {
  const [first] = rows;
  if (first === undefined) return '';
  const sentence = eventSentence(first, nowMs);
  if (rows.length === 1) return sentence;
  const name = by === 'check' ? safeLine(first.check) : by === 'output' ? 'same output' : 'same cause';
  return `${name}, ${countOf(rows.length, 'event')}: ${countsWords(rows)}. First ${sentence}`;
}
