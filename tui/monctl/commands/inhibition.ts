import type { InhibitionRow } from '../../../shared/schemas/inhibition.ts';
import { limitRuleToNamespaces } from '../../../shared/domain/notify/inhibition-scope.ts';
import { INHIBITION_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { followOrPoll } from '../follow.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { ONLY_NAMESPACE_OPTIONS, onlyNamespaceOf } from '../namespaces.ts';
import type { Column } from '../table.ts';

const list: Command = {
  words: ['inhibition', 'list'],
  summary: 'List inhibition rules and the events that currently trigger them',
  details: [
    'The rules are part of the backend configuration. "monctl event explain" shows which rule inhibits an event.',
  ],
  options: { filter: FILTER_OPTION, ...ONLY_NAMESPACE_OPTIONS, ...LIST_OPTIONS },
  examples: [
    ['monctl inhibition list --watch', 'watch the active rules'],
    ["monctl inhibition list --namespace team-a --filter 'inhibited>0'", 'active rules of one namespace'],
  ],
  async run(call) {
    const only = onlyNamespaceOf(call);
    const fetch = async (): Promise<readonly InhibitionRow[]> => {
      const rules = await call.api().inhibitions();
      return only === undefined ? rules : rules.map((rule) => limitRuleToNamespaces(rule, inNamespacePredicate(only)));
    };
    await showList<InhibitionRow>(call, {
      noun: 'inhibitions',
      columns: () => inhibitionColumns(only === undefined),
      search: INHIBITION_SEARCH,
      key: ({ name }) => name,
      fetch,
      follow: () =>
        followOrPoll(call, only, 'inhibitions', {
          itemsOf: ({ inhibitions }) => [...inhibitions.values()],
          fetch,
        }),
    });
  },
};

export const inhibitionCommands: readonly Command[] = [list];

type Inhibitor = InhibitionRow['inhibitors'][number];

function inNamespacePredicate(only: string): (inhibitor: Inhibitor) => boolean {
  return ({ namespace }) => namespace === only;
}

/** Maximum number of source events that a table row names; further source events are only counted. */
const NAMED_EVENTS_MAX = 5;

/**
 * Returns the columns of the list of inhibition rules.
 *
 * @param isAllNamespaces true to show source events with their namespace
 */
function inhibitionColumns(isAllNamespaces: boolean): readonly Column<InhibitionRow>[] {
  return [
    ...RULE_COLUMNS,
    { title: 'SOURCE EVENT', text: ({ inhibitors }) => inhibitorsText(inhibitors, isAllNamespaces) },
  ];
}

/**
 * Formats the source events of an inhibition rule, such as `team-a:sw-1/switch (3), sw-2/switch (0) and 4 more`. The
 * number in parentheses is the number of events that the source event inhibits.
 */
function inhibitorsText(inhibitors: readonly Inhibitor[], isAllNamespaces: boolean): string {
  if (inhibitors.length === 0) return '';
  const named = inhibitors.slice(0, NAMED_EVENTS_MAX).map(({ namespace, client, check, inhibited }) => {
    const prefix = isAllNamespaces ? `${namespace}:` : '';
    return `${prefix}${client}/${check}${inhibited === undefined ? '' : ` (${String(inhibited)})`}`;
  });
  const more = inhibitors.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`;
}

const RULE_COLUMNS: readonly Column<InhibitionRow>[] = [
  { title: 'INHIBITION', text: ({ name }) => name },
  { title: 'SOURCE', text: ({ source }) => source },
  { title: 'TARGET', text: ({ target }) => target },
  { title: 'EQUAL', text: ({ equal }) => equal.join(', ') },
  { title: 'INHIBITED', align: 'right', text: ({ inhibited }) => (inhibited === undefined ? '' : String(inhibited)) },
];
