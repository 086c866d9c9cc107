import { MonError } from '../../../shared/errors.ts';
import { swappedShifts, type SwappedShift } from '../../../shared/domain/on-call/swap.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import type { ScheduleDetail, ScheduleView } from '../../../shared/schemas/on-call.ts';
import { SHIFT_DAYS } from '../../../shared/schemas/shift-days.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';
import { shownMinute } from '../../words/shown-time.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { defaultCreator } from '../creator.ts';
import { ExitError } from '../exit-codes.ts';
import { valueOption } from '../flags.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { requireRemoved } from '../require-existing.ts';
import { tableText, type Column } from '../table.ts';
import { parseTime } from '../times.ts';

const who: Command = {
  words: ['on-call', 'who'],
  summary: 'Show who is on call for each schedule',
  options: {
    at: valueOption('TIME', 'at this time: 22:00, sat 10:00, or 2026-11-20T22:00; default: now'),
    ...LIST_OPTIONS,
  },
  examples: [["monctl on-call who --at 'sat 10:00'", 'who is on call next Saturday']],
  async run(call) {
    const at = call.flags.value('at');
    const atMs = at === undefined ? undefined : parseTime('--at', at, call.nowMs);
    await showList<ScheduleView>(call, {
      noun: 'schedules',
      columns: () => COLUMNS,
      key: ({ name }) => name,
      fetch: () => call.api().schedules(atMs),
    });
  },
};

const show: Command = {
  words: ['on-call', 'show'],
  summary: 'Show the shifts, gaps and overrides of a schedule',
  operands: ['SCHEDULE'],
  options: {
    days: valueOption('N', `number of days, up to ${String(SHIFT_DAYS.max)}; default ${String(SHIFT_DAYS.default)}`),
  },
  examples: [['monctl on-call show database --days 28', 'the next four weeks']],
  async run(call) {
    const [name = ''] = call.operands;
    const detail = await call.api().schedule(name, call.flags.number('days'));
    await call.output.show(detail, () => detailText(detail, call));
  },
};

const check: Command = {
  words: ['on-call', 'check'],
  summary: 'Report gaps in schedules, and people who cannot be notified',
  details: ['The exit code is 8 if there is a problem.'],
  operands: ['[SCHEDULE]'],
  options: {
    days: valueOption('N', `number of days, up to ${String(SHIFT_DAYS.max)}; default ${String(SHIFT_DAYS.default)}`),
  },
  examples: [['monctl on-call check --days 28', 'problems in the next four weeks']],
  async run(call) {
    const [name = ''] = call.operands;
    const api = call.api();
    const names = name === '' ? (await api.schedules()).map((schedule) => schedule.name) : [name];
    const days = call.flags.number('days');
    const details = await Promise.all(names.map((one) => api.schedule(one, days)));
    const problems = details.flatMap(problemsOf);
    await call.output.show({ schedules: names, problems }, () =>
      problems.length === 0 ? `no problems in ${names.join(', ') || 'any schedule'}` : problems.join('\n'),
    );
    if (problems.length > 0) throw new ExitError(EXIT_CODES.unhealthy, 'schedules have problems');
  },
};

const override: Command = {
  words: ['on-call', 'override'],
  summary: 'Put a person on call in place of a schedule',
  operands: ['SCHEDULE'],
  options: {
    person: valueOption('NAME', 'the person who is on call'),
    from: valueOption('TIME', 'begin at this time, such as fri 18:00; default: now'),
    until: valueOption('TIME', 'end at this time, such as mon 09:00, or this long after the begin, such as 12h'),
    message: valueOption('TEXT', 'note, shown to other operators', { short: 'm' }),
    by: valueOption('TEXT', 'name of the user who creates the override; default: USER@host'),
    ...CHANGE_OPTIONS,
  },
  examples: [
    ["monctl on-call override database --person cy --from 'fri 18:00' --until 2d", 'cy takes the weekend'],
    ['monctl on-call override database --person cy --until 2h', 'cy takes the next two hours'],
  ],
  async run(call) {
    const { env, flags, nowMs } = call;
    const [schedule = ''] = call.operands;
    const [person, from, until] = [flags.value('person'), flags.value('from'), flags.value('until')];
    if (person === undefined || until === undefined) {
      throw new MonError('invalid', 'set --person NAME and --until TIME');
    }
    const fromMs = from === undefined ? nowMs : parseTime('--from', from, nowMs);
    const submitted = withoutUndefined({
      person,
      from: Math.floor(fromMs / 1000),
      until: Math.floor(parseTime('--until', until, fromMs) / 1000),
      note: flags.value('message'),
      by: flags.value('by') ?? defaultCreator(env),
    });
    await carryOut(call, {
      send: (api) => api.createOverride(schedule, submitted),
      effects: () => [onCallText('would be', schedule, submitted)],
      value: (created) => created,
      successText: ({ id }) => `${onCallText('is', schedule, submitted)} (override ${id})`,
    });
  },
};

const swap: Command = {
  words: ['on-call', 'swap'],
  summary: 'Exchange a shift of two people',
  details: [
    'The command creates two overrides: each person is on call in the shift of the other. It takes the current or the next shift of each person. A shift that has begun is exchanged from now on.',
  ],
  operands: ['SCHEDULE', 'PERSON', 'OTHER'],
  options: {
    at: valueOption('TIME', 'the shift of PERSON at this time, such as fri 18:00, or the next one; default: now'),
    'other-at': valueOption('TIME', 'the shift of OTHER at this time, or the next one; default: now'),
    message: valueOption('TEXT', 'note, shown to other operators', { short: 'm' }),
    by: valueOption('TEXT', 'name of the user who swaps the shifts; default: USER@host'),
    ...CHANGE_OPTIONS,
  },
  examples: [
    ['monctl on-call swap database ada bob', 'ada and bob exchange their next shifts'],
    ["monctl on-call swap database ada bob --at 'sat 12:00'", 'bob takes the shift of ada on Saturday'],
  ],
  async run(call) {
    const { env, flags, nowMs } = call;
    const [schedule = '', person = '', other = ''] = call.operands;
    const secondsOf = (option: 'at' | 'other-at'): number | undefined => {
      const text = flags.value(option);
      return text === undefined ? undefined : Math.floor(parseTime(`--${option}`, text, nowMs) / 1000);
    };
    const submitted = withoutUndefined({
      person,
      other,
      at: secondsOf('at'),
      other_at: secondsOf('other-at'),
      note: flags.value('message'),
      by: flags.value('by') ?? defaultCreator(env),
    });
    await carryOut(call, {
      send: (api) => api.swapShifts(schedule, submitted),
      effects: async () => {
        const shifts = swappedShifts(await call.api().schedule(schedule, SHIFT_DAYS.max), submitted);
        if ('problem' in shifts) throw new MonError('invalid', shifts.problem);
        return shifts.map((shift) => onCallText('would be', schedule, shift));
      },
      value: (created) => created,
      successText: ({ overrides }) =>
        overrides.map((one) => `${onCallText('is', schedule, one)} (override ${one.id})`).join('\n'),
    });
  },
};

const removeOverride: Command = {
  words: ['on-call', 'override-delete'],
  summary: 'Delete an override of a schedule',
  operands: ['SCHEDULE', 'ID'],
  options: DELETE_OPTIONS,
  examples: [['monctl on-call override-delete database 4f1c', 'monctl on-call show lists the ids']],
  async run(call) {
    const [schedule = '', id = ''] = call.operands;
    const missing = `there is no override ${id} of the schedule ${schedule}: see monctl on-call show ${schedule}`;
    await carryOut(call, {
      send: (api) => requireRemoved(api.deleteOverride(schedule, id), missing),
      effects: async () => {
        const { overrides } = await call.api().schedule(schedule);
        const match = overrides.find((one) => one.id === id);
        if (match === undefined) throw new MonError('not_found', missing);
        return [`the override of ${schedule} would be deleted: ${overrideText(match)}`];
      },
      question: `delete the override ${id}`,
      value: () => ({ schedule, id, deleted: true }),
      successText: () => `deleted the override ${id} of ${schedule}`,
    });
  },
};

/** Commands for schedules. They exist only in the namespace `default`. */
export const onCallCommands: readonly Command[] = [who, show, check, override, swap, removeOverride];

const COLUMNS: readonly Column<ScheduleView>[] = [
  { title: 'SCHEDULE', text: ({ name }) => name },
  {
    title: 'ON CALL',
    text: ({ on_call: onCall }) => onCall?.person ?? 'nobody',
    style: ({ on_call: onCall }) => (onCall === null ? 'red' : undefined),
  },
  { title: 'UNTIL', text: ({ on_call: onCall }) => minuteOrDash(onCall?.until) },
  { title: 'NEXT', text: ({ next }) => next?.person ?? '-' },
  { title: 'FROM', text: ({ next }) => minuteOrDash(next?.from) },
  { title: 'TIME ZONE', text: ({ time_zone: zone }) => zone },
];

interface Span {
  readonly person: string;
  readonly from: number;
  readonly until: number;
  readonly source: string;
}

const SPAN_COLUMNS: readonly Column<Span>[] = [
  { title: 'FROM', text: ({ from }) => shownMinute(from * 1000) },
  { title: 'UNTIL', text: ({ until }) => shownMinute(until * 1000) },
  { title: 'ON CALL', text: ({ person }) => person },
  { title: 'SOURCE', text: ({ source }) => source },
];

function detailText({ name, shifts, gaps, overrides, unreachable }: ScheduleDetail, { output }: CommandCall): string {
  const spans: Span[] = [
    ...shifts.map(({ override: id, layer, ...shift }) => ({
      ...shift,
      source: id === undefined ? `layer ${String(layer)}` : `override ${id}`,
    })),
    ...gaps.map((gap) => ({ ...gap, person: 'nobody', source: 'gap' })),
  ].toSorted((a, b) => a.from - b.from);
  return [
    `schedule ${name}`,
    tableText(SPAN_COLUMNS, spans, output.look),
    ...overrides.map((one) => `override ${one.id}: ${overrideText(one)}`),
    ...unreachable.map((person) => unreachableText(person)),
  ].join('\n');
}

function onCallText(verb: string, schedule: string, { person, from, until }: SwappedShift): string {
  const [begin, end] = [shownMinute(from * 1000), shownMinute(until * 1000)];
  return `${person} ${verb} on call for ${schedule} from ${begin} until ${end}`;
}

function overrideText({ person, from, until, by, note }: ScheduleDetail['overrides'][number]): string {
  const reason = note === undefined ? '' : ` (${note})`;
  return `${person} from ${shownMinute(from * 1000)} until ${shownMinute(until * 1000)}, by ${by}${reason}`;
}

function problemsOf({ name, gaps, unreachable }: ScheduleDetail): string[] {
  return [
    ...gaps.map(
      ({ from, until }) =>
        `${name}: nobody is on call from ${shownMinute(from * 1000)} until ${shownMinute(until * 1000)}`,
    ),
    ...unreachable.map((person) => `${name}: ${unreachableText(person)}`),
  ];
}

function unreachableText(person: string): string {
  return `${person} cannot be notified, because no handler in notify is defined`;
}

function minuteOrDash(seconds: number | null | undefined): string {
  return seconds === null || seconds === undefined ? '-' : shownMinute(seconds * 1000);
}
