import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Command } from '../command.ts';
import { handlingText } from '../handling-text.ts';
import { recurringAmong } from '../silence-recurrence.ts';
import { readStructure } from '../input.ts';

export const simulateCommand: Command = {
  words: ['simulate'],
  summary: 'Say what a result would do, without doing it',
  details: [
    'FILE holds one result as result submit takes it, in JSON or YAML; its client is the source. - reads standard input.',
    'Nothing is stored and no handler runs.',
  ],
  operands: ['FILE'],
  options: {},
  examples: [
    ['monctl simulate result.yml', 'who would be told?'],
    ['monctl simulate - < result.json', 'from a program'],
  ],
  async run(call) {
    const { api, operands, output, nowMs } = call;
    const [file = ''] = operands;
    // The backend says what is wrong with it.
    const simulation = await api().simulate((await readStructure(call, file)) as SubmittedResult);
    const { event } = simulation;
    const handled = { ...simulation, event: event === null ? null : { ...event, status: event.check.status } };
    const recurring = await recurringAmong(api(), event?.silenced_by ?? []);
    await output.show(simulation, () => handlingText(handled, nowMs, output.look, recurring));
  },
};
