import { randomUUID } from 'node:crypto';
import { MonError } from '../../../shared/errors.ts';
import type { Command } from '../command.ts';
import { defaultCreator } from '../creator.ts';
import { switchOption, valueOption } from '../flags.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { CommandSilence } from '../command-silence.ts';
import { inAnyNamespace } from '../namespaces.ts';
import { parseLifetime } from '../times.ts';
import { ProgramEnded } from '../run-program.ts';
import { SEARCH_TARGET_OPTIONS, requireTarget } from '../silence-target.ts';

const run: Command = {
  words: ['maintenance', 'run'],
  summary: 'Silence events while a command runs',
  details: [
    'The silence is renewed while the command runs and deleted afterwards; if monctl or the host dies, it expires',
    'within a minute. Output, input, signals and the exit code are those of the command.',
    'The command is not started if the silence cannot be created. A running command is never stopped: if the backend',
    'is unavailable, the silence is renewed as soon as it is back.',
  ],
  trailingName: 'COMMAND [ARGUMENT...]',
  options: {
    ...SEARCH_TARGET_OPTIONS,
    max: valueOption('DURATION', 'maximum duration of the silence, such as 2h; the command itself is not limited'),
    reason: valueOption('TEXT', 'reason for the silence; default: the name of the executable'),
    creator: valueOption('TEXT', 'name to record as the creator; default: USER@host'),
    anyway: switchOption('start the command even if the silence cannot be created'),
  },
  examples: [
    ['monctl maintenance run --client web-001 --max 2h -- ./deploy.sh', 'silence a deployment'],
    ['monctl maintenance run --client db-014 --max 30m --anyway -- ./upgrade.sh', 'do not wait for the monitoring'],
  ],
  async run({ api, flags, trailingArgs, env, clock, output, runProgram }) {
    const target = requireTarget(flags);
    const max = flags.value('max');
    const maxSeconds = max === undefined ? undefined : parseLifetime('--max', max);
    if (maxSeconds === undefined) throw new MonError('invalid', 'set the maximum duration: --max 2h');
    const creator = flags.value('creator') ?? defaultCreator(env);
    // The default reason names only the program, because many people can read it and the arguments may contain secrets.
    const reason = flags.value('reason') ?? `maintenance: ${String(trailingArgs[0])}`;
    const silence = new CommandSilence({
      api: api(),
      clock,
      target: { run: randomUUID(), ...withoutUndefined({ ...target, reason, creator }) },
      maxSeconds,
      say: (text) => output.warn(`monctl: ${text}`),
    });
    await silence.begin(flags.switch('anyway') === true);
    let code: number;
    try {
      code = await runProgram(trailingArgs);
    } finally {
      await silence.end();
    }
    throw new ProgramEnded(code);
  },
};

export const maintenanceCommands: readonly Command[] = [inAnyNamespace(run)];
