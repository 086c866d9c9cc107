import type { ApiClient } from '../../../shared/client/api-client.ts';
import { countWithNoun } from '../../../shared/domain/count-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import { carryOut, CHANGE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { defaultCreator } from '../creator.ts';
import { switchOption, valueOption } from '../flags.ts';
import { inAnyNamespace } from '../namespaces.ts';
import { requireExisting, requireRemoved } from '../require-existing.ts';
import { statusText } from '../severity-text.ts';
import { parseBegin, parseLifetime, timestampText } from '../times.ts';
import { MonError } from '../../../shared/errors.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';

const ack: Command = {
  words: ['ack'],
  summary: 'Acknowledge an event: handlers get no further notification of it',
  details: [
    'The acknowledgement ends when the event resolves or its status gets worse, or at its deadline; then handlers are notified.',
  ],
  operands: ['[CLIENT]', '[CHECK]'],
  options: {
    filter: valueOption('TEXT', 'acknowledge all events that match this filter now', { short: 'q' }),
    message: valueOption('TEXT', 'note, shown to other operators', { short: 'm' }),
    for: valueOption('DURATION', 'end after this time, such as 4h'),
    until: valueOption('TIME', 'end at this time: 22:00, tomorrow 08:00, or 2026-11-20T22:00'),
    sticky: switchOption('keep it if the status gets worse'),
    owner: valueOption('TEXT', 'name of the user who works on the problem; default: USER@host'),
    ...CHANGE_OPTIONS,
  },
  examples: [
    ["monctl ack web-001 disk -m 'looking into it'", 'until the check is OK'],
    ['monctl ack web-001 disk --for 4h', 'for four hours at most'],
    ["monctl ack --filter 'check=http status=crit' -m 'the load balancer'", 'all matching events'],
  ],
  async run(call) {
    const { env, flags } = call;
    const [client = '', check = ''] = call.operands;
    const search = flags.value('filter');
    const acknowledgement = withoutUndefined({
      owner: flags.value('owner') ?? defaultCreator(env),
      note: flags.value('message'),
      ...deadlineOf(call),
      sticky: flags.switch('sticky'),
    });
    if (search !== undefined) return await acknowledgeMatching(call, { search, ...acknowledgement });
    if (check === '') throw new MonError('invalid', 'name a CLIENT and a CHECK, or use --filter');
    const event = await requireEvent(call, client, check);
    const submitted = { client, check, ...acknowledgement };
    await carryOut(call, {
      send: (to) => to.acknowledge(submitted),
      effects: () => [
        `${client}/${check}, ${statusText(event.check.status)}, would be acknowledged`,
        ...(event.acknowledged === undefined
          ? []
          : [`it would replace the acknowledgement of ${event.acknowledged.by}`]),
      ],
      value: (row) => row,
      successText: ({ owner, expires_at: end }) =>
        `acknowledged ${client}/${check} as ${owner} until ${end === null ? '' : `${timestampText(end)} or until `}it resolves`,
    });
  },
};

async function acknowledgeMatching(
  call: CommandCall,
  submitted: Parameters<ApiClient['acknowledgeMatching']>[0],
): Promise<void> {
  if ((call.operands[0] ?? '') !== '') throw new MonError('invalid', 'use --filter or CLIENT CHECK, not both');
  await carryOut(call, {
    send: (api) => api.acknowledgeMatching(submitted),
    async effects() {
      const events = await call.api().searchEvents(submitted.search);
      return events.map(
        ({ client, check, status }) => `${client}/${check}, ${statusText(status)}, would be acknowledged`,
      );
    },
    value: (rows) => rows,
    successText: (rows) => `acknowledged ${countWithNoun(rows.length, 'event')}`,
  });
}

const unack: Command = {
  words: ['unack'],
  summary: 'Remove the acknowledgement of an event',
  operands: ['CLIENT', 'CHECK'],
  options: CHANGE_OPTIONS,
  examples: [['monctl unack web-001 disk', 'the next result notifies handlers again']],
  async run(call) {
    const [client = '', check = ''] = call.operands;
    await carryOut(call, {
      send: (api) => requireRemoved(api.unacknowledge(client, check), `${client}/${check} is not acknowledged`),
      async effects() {
        const { acknowledged } = await requireEvent(call, client, check);
        if (acknowledged === undefined) throw new MonError('not_found', `${client}/${check} is not acknowledged`);
        return [`the acknowledgement of ${client}/${check} by ${acknowledged.by} would be removed`];
      },
      value: () => ({ client, check, acknowledged: false }),
      successText: () => `removed the acknowledgement of ${client}/${check}`,
    });
  },
};

/** Commands for the acknowledgement of an event. */
export const ackCommands: readonly Command[] = [ack, unack].map(inAnyNamespace);

function requireEvent({ api }: CommandCall, client: string, check: string): Promise<Event> {
  return requireExisting(api().event(client, check), `there is no event ${client}/${check}`);
}

function deadlineOf({ flags, nowMs }: CommandCall): { readonly expire?: number; readonly expires_at?: number } {
  const [duration, time] = [flags.value('for'), flags.value('until')];
  if (duration !== undefined && time !== undefined) throw new MonError('invalid', 'use --for or --until, not both');
  if (duration !== undefined) return { expire: parseLifetime('--for', duration) };
  return time === undefined ? {} : { expires_at: parseBegin('--until', time, nowMs) };
}
