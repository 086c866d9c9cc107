import { switchOption, valueOption } from '../flags.ts';
import type { BackendInfo } from '../../../shared/schemas/info.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import type { Command } from '../command.ts';
import { ExitError } from '../exit-codes.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { showYaml, toYaml } from '../output.ts';
import { countedNoun } from '../counted-noun.ts';
import { recordText } from '../table.ts';
import { timeWithAge } from '../times.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

const info: Command = {
  words: ['info'],
  summary: 'Show the version and state of the backend',
  options: {},
  examples: [['monctl info', 'version, store and queues']],
  async run({ api, output, nowMs }) {
    const backend = api();
    const answer = await backend.info();
    await output.show(answer, () => recordText(infoFields(backend.url, answer, nowMs), output.look));
  },
};

const health: Command = {
  words: ['health'],
  summary: 'Show backend health',
  details: ['Without options, the command checks that the store is open and results are accepted.'],
  options: {
    consumers: valueOption('N', 'report a problem if a queue has fewer than N consumers'),
    messages: valueOption('N', 'report a problem if a queue has more than N waiting messages'),
    deep: switchOption('also run the deep health checks, which take longer'),
  },
  examples: [['monctl health --consumers 1 --messages 10000', 'as a health probe']],
  async run({ api, flags, output }) {
    const limits = withoutUndefined({ consumers: flags.number('consumers', 0), messages: flags.number('messages', 0) });
    const { isHealthy, problems } = await api().health(limits);
    const deep = flags.switch('deep') === true ? await api().deepHealth() : undefined;
    const allProblems = [...problems, ...(deep?.problems ?? [])];
    const isFullyHealthy = isHealthy && deep?.isHealthy !== false;
    const report = deep === undefined ? '' : `\n${await toYaml(deep.report)}`;
    await output.show(withoutUndefined({ healthy: isFullyHealthy, problems: allProblems, report: deep?.report }), () =>
      isFullyHealthy ? `healthy${report}` : `${safeText(['unhealthy', ...allProblems].join('\n'))}${report}`,
    );
    if (!isFullyHealthy) throw new ExitError(EXIT_CODES.unhealthy, 'the backend is unhealthy');
  },
};

const settings: Command = {
  words: ['settings'],
  summary: 'Show the effective configuration with secrets redacted',
  options: {},
  examples: [['monctl settings --output json', 'as JSON']],
  async run({ api, output }) {
    await showYaml(output, await api().settings());
  },
};

export const backendCommands: readonly Command[] = [info, health, settings];

function infoFields(
  url: string,
  { sensu, transport, redis, servers = [], mon }: BackendInfo,
  nowMs: number,
): readonly (readonly [string, string])[] {
  return [
    ['backend', url],
    ['version', `${mon?.version ?? 'not mon'} (API level ${sensu.version})`],
    ['store', redis?.connected === true ? 'open' : 'not open'],
    ['results', queueText(transport?.results)],
    ['keepalives', queueText(transport?.keepalives)],
    ...servers.map(
      ({ hostname, address, tasks, timestamp }) =>
        ['server', `${hostname} at ${address}, seen ${timeWithAge(timestamp, nowMs)}: ${tasks.join(', ')}`] as const,
    ),
  ];
}

function queueText(counts: { readonly messages: number; readonly consumers: number } | undefined): string {
  return counts === undefined
    ? 'unknown'
    : `${String(counts.messages)} waiting, ${countedNoun(counts.consumers, 'consumers')}`;
}
