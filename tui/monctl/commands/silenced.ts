import { hostname } from 'node:os';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { silencedId } from '../../../shared/domain/silencing.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import { clientSubscription } from '../../../shared/schemas/client.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/expiry.ts';
import type { SilencedView } from '../../../shared/schemas/silenced.ts';
import type { Call, Command, CommandOption } from '../command.ts';
import { table } from '../table.ts';
import type { Column } from '../table.ts';
import { parseLifetime, parseMoment, timestamp } from '../times.ts';

const TARGET_OPTIONS: Readonly<Record<'check' | 'subscription' | 'client', CommandOption>> = {
  check: { type: 'value', value: 'NAME', text: 'this check; without a subscription or client: everywhere' },
  subscription: { type: 'value', value: 'NAME', text: 'all clients with this subscription' },
  client: { type: 'value', value: 'NAME', text: 'this client; short for --subscription client:NAME' },
};

const list: Command = {
  words: ['silenced', 'list'],
  summary: 'List silenced entries by id',
  operands: [],
  options: {
    check: { type: 'value', value: 'NAME', text: 'only entries that name this check' },
    subscription: { type: 'value', value: 'NAME', text: 'only entries that name exactly this subscription' },
    client: { type: 'value', value: 'NAME', text: 'short for --subscription client:NAME' },
  },
  examples: [['monctl silenced list --check http-frontend', 'who silenced this check, and for how long']],
  async run({ api, flags, output, nowMs }) {
    const { check, subscription } = target(flags);
    const named = check !== undefined ? { check } : subscription !== undefined ? { subscription } : undefined;
    const all = await api().silenced(named);
    const listed = all.filter((entry) => subscription === undefined || entry.subscription === subscription);
    await output.show(listed, () => (listed.length === 0 ? '' : table(listColumns(nowMs), listed, output.look)));
    if (listed.length === 0) output.note('no silenced entries');
  },
};

const create: Command = {
  words: ['silenced', 'create'],
  summary: 'Silence a check, a client or a subscription',
  details: [
    'An entry with the same check and subscription is replaced.',
    'Without --expire it stays until it is cleared.',
  ],
  operands: [],
  options: {
    ...TARGET_OPTIONS,
    expire: { type: 'value', value: 'DURATION', text: 'how long: 1h, 1h30m, 2d or seconds; never: until cleared' },
    begin: {
      type: 'value',
      value: 'TIME',
      text: 'when it starts: 2026-11-20T22:00, +2h, epoch seconds',
    },
    'expire-on-resolve': { type: 'switch', text: 'end it when the event resolves' },
    reason: { type: 'value', value: 'TEXT', text: 'why, for the people who will wonder' },
    creator: { type: 'value', value: 'TEXT', text: 'who; default USER@host' },
  },
  examples: [
    ["monctl silenced create --client web-001 --expire 2h --reason 'CHG-4412'", 'a machine in maintenance'],
    ['monctl silenced create --client web-001 --check disk --expire-on-resolve', 'known, until it is fixed'],
    ['monctl silenced create --subscription web --begin 2026-11-21T02:00 --expire 1h', 'a planned window'],
  ],
  async run({ api, flags, output, env, nowMs }) {
    const { check, subscription } = target(flags);
    if (check === undefined && subscription === undefined) {
      throw new MonError('invalid', 'say what to silence: --check, --client or --subscription');
    }
    const expire = flags.value('expire');
    const begin = flags.value('begin');
    const creator = flags.value('creator') ?? defaultCreator(env);
    const reason = flags.value('reason');
    const entry = {
      ...(subscription !== undefined && { subscription }),
      ...(check !== undefined && { check }),
      expire: expire === undefined || expire === 'never' ? EXPIRE_NEVER : parseLifetime('--expire', expire),
      ...(begin !== undefined && { begin: parseMoment(begin, nowMs) }),
      expire_on_resolve: flags.switch('expire-on-resolve') ?? false,
      ...(reason !== undefined && { reason }),
      ...(creator !== undefined && { creator }),
    };
    await api().silence(entry);
    const id = silencedId(subscription, check);
    await output.show({ id, ...entry }, () => safeText(`silenced ${id}${endText(entry, nowMs)}`));
  },
};

const clear: Command = {
  words: ['silenced', 'clear'],
  summary: 'End one silence',
  details: ['--check alone clears the entry of the check everywhere,', 'not every entry that names it.'],
  operands: ['[ID]'],
  options: TARGET_OPTIONS,
  examples: [
    ['monctl silenced clear client:web-001:disk', 'by id, as `monctl silenced list` shows it'],
    ['monctl silenced clear --client web-001 --check disk', 'the same by its parts'],
  ],
  async run({ api, flags, operands: [id = ''], output }) {
    const { check, subscription } = target(flags);
    const hasParts = check !== undefined || subscription !== undefined;
    if ((id === '') === !hasParts) {
      throw new MonError('invalid', 'name the entry either by its ID or by --check, --client or --subscription');
    }
    const cleared = id === '' ? silencedId(subscription, check) : id;
    if (!(await api().clearSilenced({ id: cleared }))) {
      throw new MonError('not_found', `there is no silenced entry ${cleared}: see monctl silenced list`);
    }
    await output.show({ id: cleared, cleared: true }, () => safeText(`cleared ${cleared}`));
  },
};

export const silencedCommands: readonly Command[] = [list, create, clear];

function target(flags: Call['flags']): { check: string | undefined; subscription: string | undefined } {
  const client = flags.value('client');
  const subscription = flags.value('subscription');
  if (client !== undefined && subscription !== undefined) {
    throw new MonError(
      'invalid',
      '--client and --subscription exclude each other: a client is the subscription client:NAME',
    );
  }
  return {
    check: flags.value('check'),
    subscription: client === undefined ? subscription : clientSubscription(client),
  };
}

function defaultCreator(env: Call['env']): string | undefined {
  const user = env['USER'] ?? env['LOGNAME'] ?? '';
  return user === '' ? undefined : `${user}@${hostname()}`;
}

function endText(
  entry: { readonly expire: number; readonly begin?: number; readonly expire_on_resolve: boolean },
  nowMs: number,
): string {
  const startSeconds = Math.max(entry.begin ?? 0, Math.floor(nowMs / 1000));
  const from = (entry.begin ?? 0) * 1000 > nowMs ? ` from ${timestamp(startSeconds)}` : '';
  const until = entry.expire === EXPIRE_NEVER ? '' : ` until ${timestamp(startSeconds + entry.expire)}`;
  const resolves = entry.expire_on_resolve ? `${until === '' ? ' until' : ' or until'} it resolves` : '';
  const ending = `${until}${resolves}`;
  return `${from}${ending === '' ? ' until it is cleared' : ending}`;
}

function listColumns(nowMs: number): readonly Column<SilencedView>[] {
  const nowSeconds = nowMs / 1000;
  return [
    { title: 'ID', text: ({ id }) => id },
    {
      title: 'BEGINS',
      align: 'right',
      text: ({ begin }) => (begin !== null && begin > nowSeconds ? `in ${formatDuration(begin - nowSeconds)}` : ''),
    },
    {
      title: 'EXPIRES',
      align: 'right',
      text: ({ expire }) => (expire === EXPIRE_NEVER ? 'never' : `in ${formatDuration(expire)}`),
    },
    { title: 'ON RESOLVE', text: ({ expire_on_resolve }) => (expire_on_resolve ? 'yes' : 'no') },
    { title: 'CREATOR', text: ({ creator }) => creator ?? '' },
    { title: 'REASON', text: ({ reason }) => reason ?? '' },
  ];
}
