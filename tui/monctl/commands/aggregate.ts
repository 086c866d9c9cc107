import type { MaxAge } from '../../../shared/client/api-client.ts';
import type { AggregateResults, NamedAggregate } from '../../../shared/schemas/aggregate.ts';
import { AGGREGATE_SEARCH } from '../../../shared/domain/list-searches.ts';
import { SEVERITIES, type Severity } from '../../../shared/domain/severity.ts';
import { MonError } from '../../../shared/errors.ts';
import { carryOut, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { countedNoun } from '../counted-noun.ts';
import { requireExisting, requireRemoved } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { statusText } from '../severity-text.ts';
import { recordText, type Column, type CellStyle } from '../table.ts';
import { valueOption, type CommandOption } from '../flags.ts';

const MAX_AGE: CommandOption = valueOption('DURATION', 'treat results older than this as stale');

const list: Command = {
  words: ['aggregate', 'list'],
  summary: 'List aggregates with the number of results per severity',
  options: { filter: FILTER_OPTION, ...LIST_OPTIONS },
  examples: [
    ['monctl aggregate list --watch', 'watch all services'],
    ["monctl aggregate list -q 'ok<80'", 'aggregates below 80 % OK'],
  ],
  async run(call) {
    await showList<NamedAggregate>(call, {
      noun: 'aggregates',
      columns: () => LIST_COLUMNS,
      search: AGGREGATE_SEARCH,
      key: ({ name }) => name,
      fetch: async () => (await call.api().aggregateSummaries()).map(nameLast),
    });
  },
};

const info: Command = {
  words: ['aggregate', 'info'],
  summary: 'Show the members of an aggregate, and count their results by severity',
  operands: ['AGGREGATE'],
  options: { 'max-age': MAX_AGE },
  examples: [['monctl aggregate info web --max-age 5m', 'only recent results']],
  async run({ api, flags, operands: [name = ''], output }) {
    const [summary, rules] = await Promise.all([
      requireExisting(api().aggregate(name, maxAge(flags)), missingAggregate(name)),
      api().aggregateRules(name),
    ]);
    await output.show(summary, () =>
      recordText(
        [
          ['aggregate', name],
          ['clients', String(summary.clients)],
          ['checks', String(summary.checks)],
          ...Object.entries(summary.results).map(([severity, count]) => [severity, String(count)] as const),
          ...rules.map(({ check, status, text }) => [`rule ${check}`, `${statusText(status)}: ${text}`] as const),
        ],
        output.look,
      ),
    );
  },
};

const clients: Command = {
  words: ['aggregate', 'clients'],
  summary: 'List the clients in an aggregate and the checks that they run',
  operands: ['AGGREGATE'],
  options: LIST_OPTIONS,
  examples: [['monctl aggregate clients web', 'members by client']],
  async run(call) {
    const [name = ''] = call.operands;
    await showList<{ name: string; checks: readonly string[] }>(call, {
      noun: 'clients',
      columns: () => [
        { title: 'CLIENT', text: (member) => member.name },
        { title: 'CHECKS', text: ({ checks: names }) => names.join(', ') },
      ],
      key: (member) => member.name,
      fetch: () => requireExisting(call.api().aggregateClients(name), missingAggregate(name)),
    });
  },
};

const checks: Command = {
  words: ['aggregate', 'checks'],
  summary: 'List the checks in an aggregate and the clients that run them',
  operands: ['AGGREGATE'],
  options: LIST_OPTIONS,
  examples: [['monctl aggregate checks web', 'members by check']],
  async run(call) {
    const [name = ''] = call.operands;
    await showList<{ name: string; clients: readonly string[] }>(call, {
      noun: 'checks',
      columns: () => [
        { title: 'CHECK', text: (member) => member.name },
        { title: 'CLIENTS', text: ({ clients: names }) => names.join(', ') },
      ],
      key: (member) => member.name,
      fetch: () => requireExisting(call.api().aggregateChecks(name), missingAggregate(name)),
    });
  },
};

/** A check output, with the clients that returned exactly this output. */
interface Output {
  readonly check: string;
  readonly output: string;
  readonly total: number;
  readonly clients: readonly string[];
}

const results: Command = {
  words: ['aggregate', 'results'],
  summary: 'List the check outputs with one severity and the clients that reported them',
  details: [`SEVERITY is ${SEVERITIES.join(', ')}.`],
  operands: ['AGGREGATE', 'SEVERITY'],
  completes: ['aggregate', SEVERITIES],
  options: { 'max-age': MAX_AGE, ...LIST_OPTIONS },
  examples: [['monctl aggregate results web critical', 'all critical members']],
  async run(call) {
    const [name = '', severity = ''] = call.operands;
    if (!isSeverity(severity)) {
      throw new MonError('invalid', `SEVERITY must be ${SEVERITIES.join(', ')}, not ${JSON.stringify(severity)}`);
    }
    await showList<Output>(call, {
      noun: 'outputs',
      columns: () => RESULT_COLUMNS,
      key: ({ check, output }) => JSON.stringify([check, output]),
      fetch: async () =>
        outputsOf(
          await requireExisting(
            call.api().aggregateResults(name, severity, maxAge(call.flags)),
            missingAggregate(name),
          ),
        ),
    });
  },
};

const remove: Command = {
  words: ['aggregate', 'delete'],
  summary: 'Delete an aggregate',
  details: ['As long as a check belongs to the aggregate, its next result adds the member again.'],
  operands: ['AGGREGATE'],
  options: DELETE_OPTIONS,
  examples: [['monctl aggregate delete old-web', 'after the last check stopped using it']],
  async run(call) {
    const [name = ''] = call.operands;
    await carryOut(call, {
      send: (api) => requireRemoved(api.deleteAggregate(name), missingAggregate(name)),
      async effects() {
        const summary = await requireExisting(call.api().aggregate(name), missingAggregate(name));
        return [
          `the aggregate ${name} of ${countedNoun(summary.clients, 'clients')} and ${countedNoun(summary.checks, 'checks')} would be deleted`,
          'the next result of a check that names it would create it again',
        ];
      },
      question: `delete the aggregate ${name}`,
      value: () => ({ aggregate: name, deleted: true }),
      successText: () => `deleted the aggregate ${name}`,
    });
  },
};

export const aggregateCommands: readonly Command[] = [list, info, clients, checks, results, remove];

function nameLast({ name, ...summary }: NamedAggregate): NamedAggregate {
  return { ...summary, name };
}

function missingAggregate(name: string): string {
  return `there is no aggregate ${name}: see monctl aggregate list`;
}

function maxAge(flags: CommandCall['flags']): MaxAge {
  return withoutUndefined({ maxAge: flags.lifetime('max-age') });
}

function isSeverity(text: string): text is Severity {
  return SEVERITIES.some((severity) => severity === text);
}

function outputsOf(resultsByCheck: readonly AggregateResults[]): readonly Output[] {
  return resultsByCheck.flatMap(({ check, summary }) =>
    summary.map(({ output, total, clients: names }) => ({ check, output, total, clients: names })),
  );
}

const LIST_COLUMNS: readonly Column<NamedAggregate>[] = [
  { title: 'AGGREGATE', text: ({ name }) => name },
  { title: 'CLIENTS', align: 'right', text: (aggregate) => String(aggregate.clients) },
  { title: 'CHECKS', align: 'right', text: (aggregate) => String(aggregate.checks) },
  countColumn('CRIT', 'critical', ['red', 'bold']),
  countColumn('WARN', 'warning', 'yellow'),
  countColumn('UNKN', 'unknown', 'magenta'),
  countColumn('OK', 'ok', 'green'),
];

function countColumn(title: string, severity: Severity, style: CellStyle): Column<NamedAggregate> {
  return {
    title,
    align: 'right',
    text: (aggregate) => String(aggregate.results[severity]),
    style: (aggregate) => (aggregate.results[severity] > 0 ? style : 'dim'),
  };
}

const RESULT_COLUMNS: readonly Column<Output>[] = [
  { title: 'CHECK', text: ({ check }) => check },
  { title: 'COUNT', align: 'right', text: ({ total }) => String(total) },
  { title: 'OUTPUT', text: ({ output }) => output.split('\n', 1)[0] ?? '' },
  { title: 'CLIENTS', text: ({ clients: names }) => names.join(', ') },
];
