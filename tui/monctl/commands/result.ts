import { valueOption } from '../flags.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { toSearchableResult, RESULT_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { ApiClient } from '../../../shared/client/api-client.ts';
import { undefinedIfNotFound } from '../../../shared/client/undefined-if-not-found.ts';
import type { SeriesResponse } from '../../../shared/schemas/series.ts';
import { MonError } from '../../../shared/errors.ts';
import { eventKey } from '../../../shared/domain/event-key.ts';
import type { BatchResponse, StoredResult, SubmittedResult } from '../../../shared/schemas/result.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { requireExisting, requireRemoved } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { FILE_OPTION, readFileOption } from '../input.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { countedNoun } from '../counted-noun.ts';
import { parseStatus, STATUS_WORDS, parseStatusFilter, statusStyle, statusText, statusWord } from '../severity-text.ts';
import { seriesLines } from '../../model/series-lines.ts';
import { paintText, type Run } from '../../text/theme.ts';
import { recordWithOutput, type Column, type TableStyle } from '../table.ts';
import { timeWithAge, timestampText } from '../times.ts';

const list: Command = {
  words: ['result', 'list'],
  summary: 'List the latest check results, sorted by client and check',
  details: ['If you combine options, a row must match all of them.'],
  options: {
    client: valueOption('NAME', 'only results of this client', { completes: 'client' }),
    check: valueOption('NAME', 'only results of this check', { completes: 'reported-check' }),
    status: valueOption('STATUS,...', 'only these statuses: ok, warn, crit, unknown or numbers', {
      completes: STATUS_WORDS,
    }),
    filter: FILTER_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['monctl result list --check disk', 'one check on all clients'],
    ["monctl result list -q 'status>=warn last<5m'", 'failures of the last five minutes'],
  ],
  async run(call) {
    const client = call.flags.value('client');
    const check = call.flags.value('check');
    const hasStatus = parseStatusFilter(call.flags.value('status'));
    await showList<StoredResult>(call, {
      noun: 'results',
      columns: listColumns,
      search: languageForItems(RESULT_SEARCH, toSearchableResult),
      key: (result) => eventKey(result.client, result.check.name),
      // The comparison for changes covers only the status: a further result with the same status is not a change.
      comparedPart: (result) => result.check.status,
      fetch: () => call.api().results(withoutUndefined({ client, check })),
      select: (all) => all.filter((result) => hasStatus(result.check.status)),
    });
  },
};

const info: Command = {
  words: ['result', 'info'],
  summary: 'Show one result with its full output',
  operands: ['CLIENT', 'CHECK'],
  options: {},
  examples: [['monctl result info web-001 disk', 'the latest output']],
  async run({ api, operands: [client = '', check = ''], output, nowMs }) {
    const result = await requireResult(api(), client, check);
    await output.show(result, () => resultText(result, nowMs, output.look));
  },
};

/** Width and rows of a plot: for a pipe, and at most. */
const PLOT_SIZE = { width: 80, most: 120, rows: 10 } as const;

const series: Command = {
  words: ['result', 'series'],
  summary: 'Plot the duration and the metrics of a check over the last 24 hours',
  details: [
    'The metrics are the first four of the performance data. One point is the average of five minutes, with minimum and maximum.',
  ],
  operands: ['CLIENT', 'CHECK'],
  options: {},
  examples: [['monctl result series web-001 disk', 'see how the disk filled']],
  async run({ api, operands: [client = '', check = ''], output }) {
    const data = await requireExisting(
      undefinedIfNotFound(api().series({ client, check })),
      missingResult(client, check),
    );
    await output.show(data, () => plotsText(data, output.look));
  },
};

function plotsText(data: SeriesResponse, { width, color }: TableStyle): string {
  const lines = seriesLines(data, { width: Math.min(width ?? PLOT_SIZE.width, PLOT_SIZE.most), rows: PLOT_SIZE.rows });
  const paintRun = ({ text, tone }: Run): string => (color ? paintText({ color, ascii: false }, tone, text) : text);
  return lines.map((line) => line.map(paintRun).join('').trimEnd()).join('\n');
}

const submit: Command = {
  words: ['result', 'submit'],
  summary: 'Submit a result, as an agent does',
  details: [
    'STATUS is ok, warn, crit, unknown or a number. If TEXT is "-", it is read from standard input.',
    '--file contains one result or a list of results, as in the API. The field "source" of each result names its client.',
  ],
  operands: ['[CLIENT]', '[CHECK]', '[STATUS]', '[TEXT]'],
  completes: ['client', 'client-check', STATUS_WORDS],
  options: {
    file: FILE_OPTION,
    ttl: valueOption('DURATION', 'open an event if no further result arrives within this time'),
    executed: valueOption('TIME', 'time when the check was executed; default: now'),
    handlers: valueOption('NAME,...', 'handlers to run for events of this check'),
    ...CHANGE_OPTIONS,
  },
  examples: [
    ["monctl result submit web-001 backup ok 'took 12 min' --ttl 25h", 'at the end of a nightly job'],
    ['df / | monctl result submit web-001 disk warn -', 'the output of a command'],
    ['monctl result submit --file results.json', 'several results at once'],
  ],
  async run(call) {
    const read = await readFileOption(call);
    if (Array.isArray(read)) {
      if (call.operands.some((operand) => operand !== ''))
        throw new MonError('invalid', '--file contains a list: omit CLIENT and the other arguments');
      return submitMany(call, read as readonly SubmittedResult[]);
    }
    const result = await resultOf(call, read);
    const client = result.source ?? 'sensu-api';
    await carryOut(call, {
      send: (api) => api.submitResult(result),
      effects: () => submitEffects(call, client, result.name),
      value: (answer) => ({ client, check: result.name, ...answer }),
      successText: ({ issued }) => `submitted ${client}/${result.name} at ${timestampText(issued)}`,
    });
  },
};

const remove: Command = {
  words: ['result', 'delete'],
  summary: 'Delete a result and its history',
  details: ['The event is kept: to resolve it, use "monctl event resolve".'],
  operands: ['CLIENT', 'CHECK'],
  options: DELETE_OPTIONS,
  examples: [['monctl result delete web-001 old-disk', 'a check that the client no longer runs']],
  async run(call) {
    const [client = '', check = ''] = call.operands;
    await carryOut(call, {
      send: (api) => requireRemoved(api.deleteResult(client, check), missingResult(client, check)),
      async effects() {
        const result = await requireResult(call.api(), client, check);
        const event = await call.api().event(client, check);
        return [
          `the result ${client}/${check}, ${statusText(result.check.status)}, would be deleted with its history of ${String(result.check.history.length)}`,
          ...(event === undefined ? [] : ['its event would be kept']),
        ];
      },
      question: `delete the result ${client}/${check}`,
      value: () => ({ client, check, deleted: true }),
      successText: () => `deleted the result ${client}/${check}`,
    });
  },
};

export const resultCommands: readonly Command[] = [list, info, series, submit, remove];

/** Returns the result to submit: the result of the file, overridden by the operands and options. */
async function resultOf(call: CommandCall, read: unknown): Promise<SubmittedResult> {
  const { flags, nowMs, readInput } = call;
  const [client = '', check = '', status = '', text = ''] = call.operands;
  const result: Readonly<Record<string, unknown>> = {
    ...(read as Readonly<Record<string, unknown>> | undefined),
    ...withoutUndefined({
      source: client || undefined,
      name: check || undefined,
      status: status === '' ? undefined : parseStatus(status),
      output: text === '-' ? await readInput() : text || undefined,
      ttl: flags.lifetime('ttl'),
      executed: flags.moment('executed', nowMs),
      handlers: flags.list('handlers'),
    }),
  };
  const { name, output = '' } = result;
  if (typeof name !== 'string' || (read === undefined && status === '')) {
    throw new MonError('invalid', 'missing arguments: use monctl result submit CLIENT CHECK STATUS [TEXT], or --file');
  }
  // Attributes other than `name` are validated by the backend, which knows the rules best.
  return { ...result, name, output: String(output) };
}

async function submitMany(call: CommandCall, results: readonly SubmittedResult[]): Promise<void> {
  let answer: BatchResponse | undefined;
  await carryOut(call, {
    send: async (api) => (answer = await api.submitResults(results)),
    effects: () => [`${countedNoun(results.length, 'results')} would be submitted`],
    value: (taken) => taken,
    successText: ({ accepted }) => `submitted ${countedNoun(accepted, 'results')}`,
  });
  if (answer === undefined || answer.rejected.length === 0) return;
  const [first] = answer.rejected;
  throw new MonError(
    'invalid',
    `${countedNoun(answer.rejected.length, 'results')} rejected; number ${String(first?.index ?? 0)}: ${first?.error ?? ''}`,
  );
}

async function submitEffects({ api, nowMs }: CommandCall, client: string, check: string): Promise<readonly string[]> {
  const [existingClient, result] = await Promise.all([api().client(client), api().result(client, check)]);
  return [
    ...(existingClient === undefined ? [`the client ${client} would be created`] : []),
    result === undefined
      ? `it would be the first result of ${client}/${check}`
      : `it would follow ${statusText(result.check.status)} of ${timeWithAge(result.check.executed, nowMs)}`,
  ];
}

function requireResult(api: ApiClient, client: string, check: string): Promise<StoredResult> {
  return requireExisting(api.result(client, check), missingResult(client, check));
}

function missingResult(client: string, check: string): string {
  return `there is no result ${client}/${check}`;
}

function listColumns(nowMs: number): readonly Column<StoredResult>[] {
  return [
    {
      title: 'STATUS',
      text: ({ check }) => statusWord(check.status),
      style: ({ check }) => statusStyle(check.status),
    },
    { title: 'CLIENT', text: ({ client }) => client },
    { title: 'CHECK', text: ({ check }) => check.name },
    {
      title: 'LAST',
      align: 'right',
      text: ({ check }) => formatDuration(nowMs / 1000 - check.executed, 1),
    },
    { title: 'OUTPUT', text: ({ check }) => check.output.split('\n', 1)[0] ?? '' },
  ];
}

function resultText({ client, check }: StoredResult, nowMs: number, look: TableStyle): string {
  const fields: (readonly [string, string])[] = [
    ['client', client],
    ['check', check.name],
    ['status', statusText(check.status)],
    ['executed', timeWithAge(check.executed, nowMs)],
    ['issued', timeWithAge(check.issued, nowMs)],
    ['history', check.history.join(' ')],
  ];
  return recordWithOutput(fields, check.output, look);
}
