import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Command } from '../command.ts';
import { handlingText } from '../handling-text.ts';
import { recurringAmong } from '../silence-recurrence.ts';
import { readStructure } from '../input.ts';

export const simulateCommand: Command = {
  words: ['simulate'],
  summary: 'Show what a result would do, without submitting it',
  details: [
    'FILE contains one result as for result submit, in JSON or YAML; its attribute source names the client. - reads standard input.',
    'Nothing is stored and no handler runs.',
  ],
  operands: ['FILE'],
  options: {},
  examples: [
    ['monctl simulate result.yml', 'who would be notified?'],
    ['monctl simulate - < result.json', 'from standard input'],
  ],
  async run(call) {
    const { api, operands, output, nowMs } = call;
    const [file = ''] = operands;
    // The backend validates the result.
    const simulation = await api().simulate((await readStructure(call, file)) as SubmittedResult);
    const { event } = simulation;
    const handled = { ...simulation, event: event === null ? null : { ...event, status: event.check.status } };
    const recurring = await recurringAmong(api(), event?.silenced_by ?? []);
    await output.show(simulation, () => handlingText(handled, nowMs, output.look, recurring));
  },
};
