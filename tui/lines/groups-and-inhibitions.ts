import { formatGroupLabel } from '../../shared/domain/notify/group-key.ts';
import { limitRuleToNamespaces } from '../../shared/domain/notify/inhibition-scope.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { GroupRow } from '../../shared/schemas/grouping.ts';
import type { InhibitionRow } from '../../shared/schemas/inhibition.ts';
import { isInShownNamespace } from '../model/shown-namespace.ts';
import { countOf } from '../words/changes.ts';
import { countText } from '../words/count-text.ts';
import { compareByNextFlush, nextFlushText, NO_GROUP_TEXT, notifiedText } from '../words/group-text.ts';
import { NO_INHIBITION_TEXT } from '../words/inhibition-text.ts';
import { printFirstItems, requestedCount } from './list-output.ts';
import { nameWords } from './sentences.ts';
import type { LinesState } from './state.ts';
import type { LinePrompt } from './line-prompt.ts';

/** Prints the notification groups of handlers with `group_by`; the group that is flushed next comes first. */
export async function listGroups(state: LinesState, prompt: LinePrompt, args: string): Promise<void> {
  const count = requestedCount(prompt, 'groups', args);
  if (count === undefined) return;
  const all = await (await state.context.api()).handlerGroups();
  const groups = all.filter(isInShownNamespace(state.context)).toSorted(compareByNextFlush);
  if (groups.length === 0) prompt.say(NO_GROUP_TEXT);
  printFirstItems(prompt, count, groups, (group) => groupSentence(group, state.nowMs));
}

/**
 * Returns a sentence about a notification group, such as `critical: client.rack=fra-12 at pager: 31 events, 30 pending,
 * never notified, waits 24s`.
 */
function groupSentence(group: GroupRow, nowMs: number): string {
  const { handler, by, firing, worst = 'unknown', pending, notified_at: notifiedAt } = group;
  const parts = [
    ...(firing === 0 ? [] : [countOf(firing, 'event')]),
    ...(pending === 0 ? [] : [`${countText(pending)} pending`]),
    notifiedAt === null ? 'never notified' : `notified ${notifiedText(group, nowMs)}`,
    nextFlushText(group, nowMs),
  ];
  const state = firing === 0 ? 'resolved' : worst;
  return safeLine(`${state}: ${formatGroupLabel(Object.entries(by))} at ${handler}: ${parts.join(', ')}`);
}

/** Prints the inhibition rules; the rules that inhibit the most events come first. */
export async function listInhibitions(state: LinesState, prompt: LinePrompt, args: string): Promise<void> {
  const count = requestedCount(prompt, 'inhibitions', args);
  if (count === undefined) return;
  const all = await (await state.context.api()).inhibitions();
  const rules = all
    .map((rule) => limitRuleToNamespaces(rule, isInShownNamespace(state.context)))
    .toSorted((a, b) => (b.inhibited ?? 0) - (a.inhibited ?? 0) || b.inhibitors.length - a.inhibitors.length);
  if (rules.length === 0) prompt.say(NO_INHIBITION_TEXT);
  printFirstItems(prompt, count, rules, inhibitionSentence);
}

/**
 * Returns a sentence about an inhibition rule, such as `switch-down inhibits 2 events: switch on sw-1; source
 * check=switch, target check!=switch, equal client.rack`.
 */
function inhibitionSentence(rule: InhibitionRow): string {
  const { name, source, target, equal } = rule;
  const common = equal.length === 0 ? '' : `, equal ${equal.join(', ')}`;
  return safeLine(`${name} ${inhibitedWords(rule)}; source ${source}, target ${target}${common}`);
}

function inhibitedWords({ inhibited, inhibitors: [first, ...others] }: InhibitionRow): string {
  if (first === undefined) return 'inhibits no event now';
  const events = inhibited === undefined ? 'events' : countOf(inhibited, 'event');
  const more = others.length === 0 ? '' : ` and ${countText(others.length)} more`;
  return `inhibits ${events}: ${nameWords(first)}${more}`;
}
