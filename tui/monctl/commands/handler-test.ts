import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import type { HandlerTest } from '../../../shared/schemas/handler-test.ts';
import { EXIT } from '../../words/exit-codes.ts';
import type { Command } from '../command.ts';
import { ExitError } from '../exit-codes.ts';
import { flag, takes } from '../flags.ts';
import { inAnyNamespace } from '../namespaces.ts';
import { toYaml } from '../output.ts';

export const testCommand: Command = inAnyNamespace({
  words: ['handler', 'test'],
  summary: 'Tell a handler of an event, and say what came of it',
  details: [
    'Without --event it is told of a warning that is made up. Its filters and severities are not asked, it is tried once, and nothing is a dead letter.',
    'What is shown is what is sent, without secrets. With --dry-run nothing is sent; a mutator runs all the same.',
  ],
  operands: ['HANDLER'],
  options: {
    event: takes('CLIENT/CHECK', 'the event of this client and check, as it stands now'),
    'dry-run': flag('say what would be sent; send nothing'),
  },
  examples: [
    ['monctl handler test slack --dry-run', 'what would people read?'],
    ['monctl handler test mail --event web-001/disk', 'does it get there?'],
  ],
  async run({ api, operands: [name = ''], flags, output }) {
    const tested = await api().testHandler(name, {
      ...eventOf(flags.value('event')),
      dry_run: flags.switch('dry-run') === true,
    });
    const sent = await toYaml(tested.preview);
    await output.show(tested, () => safeText(`${sent.trimEnd()}\n\n${endOf(tested)}`));
    if (tested.outcome?.delivered === false) throw new ExitError(EXIT.failure, 'the handler failed');
  },
});

/** @throws MonError `invalid` */
function eventOf(text: string | undefined): { readonly client?: string; readonly check?: string } {
  if (text === undefined) return {};
  const [client = '', check = '', ...rest] = text.split('/');
  if (client !== '' && check !== '' && rest.length === 0) return { client, check };
  throw new MonError('invalid', '--event: expected CLIENT/CHECK, such as web-001/disk');
}

function endOf({ outcome }: HandlerTest): string {
  if (outcome === null) return 'nothing was sent';
  const { delivered, answer, reason = '', seconds } = outcome;
  const took = `${seconds.toFixed(3)} s`;
  if (!delivered) return `failed after ${took}: ${reason}`;
  return `delivered in ${took}${answer === undefined ? '' : `: ${answer}`}`;
}
