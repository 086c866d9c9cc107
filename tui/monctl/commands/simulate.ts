import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Command } from '../command.ts';
import { handlingText } from '../handling-text.ts';
import { findRecurring } from '../silence-recurrence.ts';
import { readStructure } from '../input.ts';

export const simulateCommand: Command = {
  words: ['simulate'],
  summary: 'Show the effects of a check result without submitting it',
  details: [
    'FILE contains one result in JSON or YAML, as for "monctl result submit". The field "source" names the client. If FILE is "-", standard input is read.',
    'Nothing is stored and no handler runs.',
  ],
  operands: ['FILE'],
  options: {},
  examples: [
    ['monctl simulate result.yml', 'find out who would be notified'],
    ['monctl simulate - < result.json', 'from standard input'],
  ],
  async run(call) {
    const { api, operands, output, nowMs } = call;
    const [file = ''] = operands;
    // The content of the file is not validated here, because the backend validates the result.
    const simulation = await api().simulate((await readStructure(call, file)) as SubmittedResult);
    const { event } = simulation;
    const handled = { ...simulation, event: event === null ? null : { ...event, status: event.check.status } };
    const recurring = await findRecurring(api(), event?.silenced_by ?? []);
    await output.show(simulation, () => handlingText(handled, nowMs, output.look, recurring));
  },
};
