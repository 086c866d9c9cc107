import type { InhibitionRow } from '../../../shared/schemas/inhibition.ts';
import type { Command } from '../command.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import type { Column } from '../table.ts';

const list: Command = {
  words: ['inhibition', 'list'],
  summary: 'List the rules that keep events quiet, and because of which events they do now',
  details: [
    'The rules stand in the configuration of the backend. monctl event explain says which one keeps an event quiet.',
  ],
  options: LIST_OPTIONS,
  examples: [['monctl inhibition list --watch', 'what keeps others quiet']],
  async run(call) {
    await showList<InhibitionRow>(call, {
      noun: 'inhibitions',
      columns: () => COLUMNS,
      key: ({ name }) => name,
      fetch: () => call.api().inhibitions(),
    });
  },
};

export const inhibitionCommands: readonly Command[] = [list];

const COLUMNS: readonly Column<InhibitionRow>[] = [
  { title: 'INHIBITION', text: ({ name }) => name },
  { title: 'WHEN', text: ({ when }) => when },
  { title: 'QUIET', text: ({ quiet }) => quiet },
  { title: 'EQUAL', text: ({ equal }) => equal.join(', ') },
  {
    title: 'BECAUSE OF',
    text: ({ inhibitors }) => inhibitors.map(({ client, check }) => `${client}/${check}`).join(', '),
  },
];
