import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import type { HandlerTest } from '../../../shared/schemas/handler-test.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';
import type { Command } from '../command.ts';
import { ExitError } from '../exit-codes.ts';
import { switchOption, valueOption } from '../flags.ts';
import { inAnyNamespace } from '../namespaces.ts';
import { toYaml } from '../output.ts';

export const testCommand: Command = inAnyNamespace({
  words: ['handler', 'test'],
  summary: 'Send a test event to a handler and show the outcome',
  details: [
    'Without --event, the command sends a sample warning. Filters and severities are ignored, there is one attempt, and a failed notification is not put into the dead-letter queue.',
    'The command shows what is sent, with secrets redacted. With --dry-run, nothing is sent, but a mutator still runs.',
  ],
  operands: ['HANDLER'],
  options: {
    event: valueOption('CLIENT/CHECK', 'use the current event of this client and check'),
    'dry-run': switchOption('show the notification without sending it'),
  },
  examples: [
    ['monctl handler test slack --dry-run', 'preview the message'],
    ['monctl handler test mail --event web-001/disk', 'send a real event'],
  ],
  async run({ api, operands: [name = ''], flags, output }) {
    const tested = await api().testHandler(name, {
      ...eventOf(flags.value('event')),
      dry_run: flags.switch('dry-run') === true,
    });
    const sent = await toYaml(tested.preview);
    await output.show(tested, () => safeText(`${sent.trimEnd()}\n\n${endOf(tested)}`));
    if (tested.outcome?.delivered === false) throw new ExitError(EXIT_CODES.failure, 'the handler failed');
  },
});

/**
 * Parses the value of `--event`, which is CLIENT/CHECK; without the option returns neither client nor check.
 *
 * @throws MonError `invalid` for any other text
 */
function eventOf(text: string | undefined): { readonly client?: string; readonly check?: string } {
  if (text === undefined) return {};
  const [client = '', check = '', ...remaining] = text.split('/');
  if (client !== '' && check !== '' && remaining.length === 0) return { client, check };
  throw new MonError('invalid', '--event: expected CLIENT/CHECK, such as web-001/disk');
}

function endOf({ outcome }: HandlerTest): string {
  if (outcome === null) return 'nothing was sent';
  const { delivered, response, reason = '', seconds } = outcome;
  const took = `${seconds.toFixed(3)} s`;
  if (!delivered) return `failed after ${took}: ${reason}`;
  return `delivered in ${took}${response === undefined ? '' : `: ${response}`}`;
}
