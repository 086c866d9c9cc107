import { randomUUID } from 'node:crypto';
import { MonError } from '../../../shared/errors.ts';
import type { Command } from '../command.ts';
import { defaultCreator } from '../creator.ts';
import { flag, takes } from '../flags.ts';
import { given } from '../../../shared/domain/given.ts';
import { HeldSilence } from '../held-silence.ts';
import { inAnyNamespace } from '../namespaces.ts';
import { ProgramEnded } from '../run-program.ts';
import { SEARCH_TARGET_OPTIONS, wantedTargetOf } from '../silence-target.ts';

const run: Command = {
  words: ['maintenance', 'run'],
  summary: 'Silence while a command runs, and not a minute longer',
  details: [
    'The silence is renewed while the command runs and ended with it; when monctl or the whole machine dies it ends by',
    'itself within a minute. Output, input, signals and the exit code are those of the command.',
    'A command is not started when it cannot be silenced. One that runs is never stopped: when the backend is away the',
    'silence is renewed as soon as it is back.',
  ],
  rest: 'COMMAND [ARGUMENT...]',
  options: {
    ...SEARCH_TARGET_OPTIONS,
    max: takes('DURATION', 'no longer than this: 2h, 30m; then the command goes on, and is not silenced'),
    reason: takes('TEXT', 'why, for the people who will wonder; default its program'),
    creator: takes('TEXT', 'who; default USER@host'),
    anyway: flag('start the command also when it cannot be silenced'),
  },
  examples: [
    ['monctl maintenance run --client web-001 --max 2h -- ./deploy.sh', 'nobody is paged by a deployment'],
    [
      'monctl maintenance run --client db-014 --max 30m --anyway -- ./upgrade.sh',
      'the upgrade does not wait for the monitoring',
    ],
  ],
  async run({ api, flags, rest, env, clock, output, runProgram }) {
    const target = wantedTargetOf(flags);
    const maxSeconds = flags.lifetime('max');
    if (maxSeconds === undefined) throw new MonError('invalid', 'say how long at most: --max 2h');
    const creator = flags.value('creator') ?? defaultCreator(env);
    // Arguments may be secrets, and a reason is read by many.
    const reason = flags.value('reason') ?? `maintenance: ${String(rest[0])}`;
    const held = new HeldSilence({
      api: api(),
      clock,
      target: { run: randomUUID(), ...given({ ...target, reason, creator }) },
      maxSeconds,
      say: (text) => output.warn(`monctl: ${text}`),
    });
    await held.begin(flags.switch('anyway') === true);
    let code: number;
    try {
      code = await runProgram(rest);
    } finally {
      await held.end();
    }
    throw new ProgramEnded(code);
  },
};

export const maintenanceCommands: readonly Command[] = [inAnyNamespace(run)];
