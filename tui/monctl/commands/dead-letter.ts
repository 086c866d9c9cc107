import type { ApiClient } from '../../../shared/client/api-client.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { DEAD_LETTER_SEARCH } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import type { DeadLetterSelection, DeadLetterSummary } from '../../../shared/schemas/dead-letter.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { countedNoun } from '../counted-noun.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { requireExisting, requireRemoved } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { toYaml } from '../output.ts';
import { recordText, type Column } from '../table.ts';
import { timeWithAge } from '../times.ts';
import { switchOption, valueOption, type CommandOption } from '../flags.ts';

const HANDLER_OPTION: CommandOption = valueOption('NAME', 'only dead letters of this handler', {
  completes: 'handler',
});

const WHICH_OPTIONS = {
  handler: { ...HANDLER_OPTION, text: 'select all dead letters of this handler' },
  all: switchOption('select all dead letters'),
} as const;

const list: Command = {
  words: ['dead-letter', 'list'],
  summary: 'List notifications that failed permanently, oldest first',
  options: { handler: HANDLER_OPTION, filter: FILTER_OPTION, ...LIST_OPTIONS },
  examples: [['monctl dead-letter list --handler pagerduty', 'failed PagerDuty notifications']],
  async run(call) {
    const handler = call.flags.value('handler');
    await showList<DeadLetterSummary>(call, {
      noun: 'dead letters',
      columns: listColumns,
      search: DEAD_LETTER_SEARCH,
      key: ({ id }) => String(id),
      fetch: () => call.api().deadLetters(withoutUndefined({ handler })),
    });
  },
};

const info: Command = {
  words: ['dead-letter', 'info'],
  summary: 'Show one dead letter with its event',
  operands: ['ID'],
  completes: ['dead-letter'],
  options: {},
  examples: [['monctl dead-letter info 1763745000000000 --output json', 'the event with secrets redacted']],
  async run({ api, operands: [text = ''], output, nowMs }) {
    const id = parseId(text);
    const deadLetter = await requireExisting(api().deadLetter(id), missingDeadLetter(id));
    const event = await toYaml(deadLetter.events ?? deadLetter.event);
    await output.show(deadLetter, () => `${recordText(fieldsOf(deadLetter, nowMs), output.look)}\n\n${event}`);
  },
};

const retry: Command = {
  words: ['dead-letter', 'retry'],
  summary: 'Retry notifications that failed permanently',
  details: [
    'Retried notifications are queued behind waiting notifications and keep their delivery IDs, so that receivers can recognize duplicates.',
  ],
  operands: ['[ID]'],
  completes: ['dead-letter'],
  options: { ...WHICH_OPTIONS, ...CHANGE_OPTIONS },
  examples: [['monctl dead-letter retry --handler pagerduty', 'after the service has recovered']],
  async run(call) {
    const which = whichOf(call);
    await carryOut(call, {
      send: (api) => api.retryDeadLetters(which),
      effects: async () => [`${countedNoun(await countSelected(call.api(), which), 'dead letters')} would be retried`],
      value: (answer) => answer,
      successText: ({ retried }) => `${countedNoun(retried, 'dead letters')} will be retried`,
    });
  },
};

const drop: Command = {
  words: ['dead-letter', 'drop'],
  summary: 'Delete notifications that failed permanently',
  operands: ['[ID]'],
  completes: ['dead-letter'],
  options: { ...WHICH_OPTIONS, ...DELETE_OPTIONS },
  examples: [['monctl dead-letter drop --handler old-chat', 'a handler that is no longer used']],
  async run(call) {
    const which = whichOf(call);
    await carryOut(call, {
      send: (api) => dropSelected(api, which),
      effects: async () => [`${countedNoun(await countSelected(call.api(), which), 'dead letters')} would be dropped`],
      question: `drop the ${nameOf(which)}`,
      value: (answer) => answer,
      successText: (answer) => `dropped ${countedNoun(answer.dropped, 'dead letters')}`,
    });
  },
};

export const deadLetterCommands: readonly Command[] = [list, info, retry, drop];

type DeadLetterChoice = { readonly id: number } | DeadLetterSelection;

/**
 * Returns the dead letters that the command line selects: by id, by handler or all.
 *
 * @throws MonError `invalid` unless exactly one of ID, `--handler` and `--all` was given
 */
function whichOf({ flags, operands: [id = ''] }: CommandCall): DeadLetterChoice {
  const handler = flags.value('handler');
  const named: DeadLetterChoice[] = [
    ...(id === '' ? [] : [{ id: parseId(id) }]),
    ...(handler === undefined ? [] : [{ handler }]),
    ...(flags.switch('all') === true ? [{ all: true as const }] : []),
  ];
  const [which] = named;
  if (which === undefined || named.length > 1) {
    throw new MonError('invalid', 'select dead letters: use one ID, --handler NAME, or --all');
  }
  return which;
}

function parseId(text: string): number {
  if (/^\d{1,16}$/.test(text)) return Number(text);
  throw new MonError('invalid', `${JSON.stringify(text)} is not the id of a dead letter: see monctl dead-letter list`);
}

function missingDeadLetter(id: number): string {
  return `there is no dead letter ${String(id)}: see monctl dead-letter list`;
}

/**
 * Returns the number of selected dead letters.
 *
 * @throws MonError `not_found` when no dead letter has the selected id
 */
async function countSelected(api: ApiClient, which: DeadLetterChoice): Promise<number> {
  if (!('id' in which)) return (await api.deadLetters('handler' in which ? which : {})).length;
  await requireExisting(api.deadLetter(which.id), missingDeadLetter(which.id));
  return 1;
}

/**
 * Deletes the selected dead letters and returns their number.
 *
 * @throws MonError `not_found` when no dead letter has the selected id
 */
async function dropSelected(api: ApiClient, which: DeadLetterChoice): Promise<{ readonly dropped: number }> {
  if (!('id' in which)) return await api.dropDeadLetters(which);
  await requireRemoved(api.dropDeadLetter(which.id), missingDeadLetter(which.id));
  return { dropped: 1 };
}

function nameOf(which: DeadLetterChoice): string {
  if ('id' in which) return `dead letter ${String(which.id)}`;
  return `dead letters of ${'handler' in which ? which.handler : 'all handlers'}`;
}

function fieldsOf(deadLetter: DeadLetterSummary, nowMs: number): readonly (readonly [string, string])[] {
  return [
    ['id', String(deadLetter.id)],
    ['handler', deadLetter.handler],
    ...(deadLetter.group === undefined
      ? ([
          ['client', deadLetter.client],
          ['check', deadLetter.check],
        ] as const)
      : ([
          ['group', deadLetter.group.label],
          ['events', String(deadLetter.group.events)],
        ] as const)),
    ['queued', timeWithAge(deadLetter.queued_at, nowMs)],
    ['failed', timeWithAge(deadLetter.failed_at, nowMs)],
    ['attempts', String(deadLetter.attempts)],
    ['reason', deadLetter.reason],
  ];
}

function listColumns(nowMs: number): readonly Column<DeadLetterSummary>[] {
  return [
    { title: 'ID', text: ({ id }) => String(id) },
    { title: 'HANDLER', text: ({ handler }) => handler },
    { title: 'CLIENT', text: ({ client, group }) => group?.label ?? client },
    { title: 'CHECK', text: ({ check, group }) => (group === undefined ? check : countedNoun(group.events, 'events')) },
    { title: 'FAILED', align: 'right', text: ({ failed_at: at }) => formatDuration(nowMs / 1000 - at, 1) },
    { title: 'TRIES', align: 'right', text: ({ attempts }) => String(attempts) },
    { title: 'REASON', text: ({ reason }) => reason },
  ];
}
