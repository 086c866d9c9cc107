import { formatDuration } from '../../../shared/domain/duration.ts';
import { findNearest } from '../../../shared/domain/nearest.ts';
import { languageForItems } from '../../../shared/domain/search-language.ts';
import { SILENCED_SEARCH } from '../../../shared/domain/list-searches.ts';
import { silenceName } from '../../../shared/domain/silence-name.ts';
import { targetId } from '../../../shared/domain/silencing.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Recurrence } from '../../../shared/schemas/recurrence.ts';
import type { SubmittedMonSilenced } from '../../../shared/schemas/silenced.ts';
import { carryOut, CHANGE_OPTIONS, DELETE_OPTIONS } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { countedNoun } from '../counted-noun.ts';
import { defaultCreator } from '../creator.ts';
import { FILTER_OPTION } from '../filter-flag.ts';
import { followTopic } from '../follow.ts';
import { requireExisting, requireRemoved } from '../require-existing.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { AT_OPTION, showListAt } from '../at-time.ts';
import { LIST_OPTIONS, type List } from '../list.ts';
import { EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { inAnyNamespace, usesV2Api, NAMESPACE_OPTION, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { eventCounts } from '../severity-text.ts';
import { clearEffects, missingEntry, silenceEffects, requireSilence } from '../silence-effects.ts';
import { matchLines, silenceMatches, unknownClient } from '../silence-matches.ts';
import {
  CREATOR_OPTION,
  readTarget,
  REASON_OPTION,
  SEARCH_TARGET_OPTIONS,
  searchTargetOf,
  silenceTargetOf,
  requireTarget,
  type SearchTarget,
} from '../silence-target.ts';
import { recordText } from '../table.ts';
import { timeWithAge, parseBegin, parseLifetime } from '../times.ts';
import {
  silencePeriodText,
  creatorText,
  idleColumn,
  idleText,
  listColumns,
  toSilenceRow,
  RECURRENCE_COLUMN,
  timeFields,
  windowField,
  type SilenceRow,
} from '../silence-text.ts';
import { RECURRENCE_OPTIONS, recurrenceOfFlags, windowLines, windowsAhead } from '../silence-recurrence.ts';
import { recurrenceText } from '../../words/recurrence-text.ts';
import { switchOption, valueOption } from '../flags.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/lifetime.ts';

const list: Command = {
  words: ['silence', 'list'],
  summary: 'List silences, sorted by ID',
  operands: [],
  options: {
    check: valueOption('NAME', 'only silences for this check', { completes: 'reported-check' }),
    subscription: valueOption('NAME', 'only silences for exactly this subscription', { completes: 'subscription' }),
    client: valueOption('NAME', 'only silences for this client; short for --subscription client:NAME', {
      completes: 'client',
    }),
    idle: switchOption('only idle silences, which have matched no event for a long time'),
    ...AT_OPTION,
    ...NAMESPACES_OPTIONS,
    filter: FILTER_OPTION,
    ...LIST_OPTIONS,
  },
  examples: [
    ['monctl silence list --check http-frontend', 'silences of a check'],
    ["monctl silence list -q 'creator=alice left<1h'", 'silences created by alice that expire soon'],
    ['monctl silence list --idle', 'candidates to delete'],
  ],
  async run(call) {
    const { check, subscription } = silenceTargetOf(call.flags);
    const isIdle = call.flags.switch('idle') === true;
    if (isIdle && call.flags.value('at') !== undefined) {
      throw new MonError(
        'invalid',
        '--idle cannot be used with --at: the backend does not store which silences were idle in the past',
      );
    }
    const isAllNamespaces = namespacesOf(call) === undefined;
    const namespace = isAllNamespaces ? EVERY_NAMESPACE : call.namespace;
    const entries: List<SilenceRow> = {
      noun: 'silenced entries',
      columns: (nowMs, shown) => [
        ...(isAllNamespaces ? [{ title: 'NAMESPACE', text: ({ view }: SilenceRow) => view.namespace ?? '' }] : []),
        ...listColumns(nowMs),
        ...(shown.some(({ view }) => view.recurrence !== undefined) ? [RECURRENCE_COLUMN] : []),
        ...(shown.some(({ view }) => view.idle !== undefined) ? [idleColumn(nowMs)] : []),
      ],
      search: languageForItems(SILENCED_SEARCH, ({ view, endsAt }) => ({ ...view, expire_at: endsAt })),
      key: ({ view: { namespace: entryNamespace, id } }) =>
        entryNamespace === undefined ? id : `${entryNamespace}/${id}`,
      value: ({ view }) => view,
      // The comparison for changes omits the remaining time, which changes constantly.
      comparedPart: ({ view, endsAt }) => [
        view.begin,
        view.expire_on_resolve,
        view.creator,
        view.reason,
        endsAt,
        view.idle !== undefined,
        view.recurrence,
      ],
      async fetch() {
        const views = await call.api().silencedDetails({ check, subscription });
        return views.map((view) => ({ view, endsAt: view.expire_at }));
      },
      select: (all) =>
        all
          .filter(({ view }) => check === undefined || view.check === check)
          .filter(({ view }) => subscription === undefined || view.subscription === subscription)
          .filter(({ view }) => !isIdle || view.idle !== undefined)
          .toSorted((a, b) => (a.view.id < b.view.id ? -1 : 1)),
      follow: () =>
        followTopic({ ...call, namespace }, 'silenced', ({ silenced }) =>
          Array.from(silenced.values(), (row) => toSilenceRow(row, call.clock.now())),
        ),
    };
    await showListAt(call, entries, ({ silenced = [], at }) => silenced.map((row) => toSilenceRow(row, at)));
  },
};

const info: Command = {
  words: ['silence', 'info'],
  summary: 'Show one silence and the events that it currently matches',
  operands: ['ID'],
  completes: ['silenced'],
  options: {},
  examples: [['monctl silence info client:web-001:disk', 'by the id from `monctl silence list`']],
  async run(call) {
    const { api, output, nowMs } = call;
    const id = idOf(call);
    const entry = await requireExisting(api().silencedDetail(id), missingEntry(id));
    const events = (await api().events()).filter((event) => event.silenced_by.includes(id));
    await output.show(entry, () =>
      recordText(
        [
          ['id', entry.id],
          ...(entry.selector === undefined
            ? ([
                ['subscription', entry.subscription ?? 'any'],
                ['check', entry.check ?? 'any'],
              ] as const)
            : ([['search', entry.selector]] as const)),
          ...timeFields(entry, nowMs),
          ['reason', entry.reason ?? ''],
          ['creator', creatorText(entry)],
          ['created', timeWithAge(entry.timestamp, nowMs)],
          ['silences now', eventCounts(events)],
          ...(entry.idle === undefined ? [] : ([['idle', idleText(entry.idle, nowMs)]] as const)),
          ['suppressed', countedNoun(entry.suppressed, 'notifications')],
          ...windowField(entry),
          ['last suppressed', entry.last_suppressed === null ? 'never' : timeWithAge(entry.last_suppressed, nowMs)],
        ],
        output.look,
      ),
    );
  },
};

const BEGIN_OPTION = valueOption(
  'TIME',
  'start of the silence: 22:00, tomorrow 02:00, 2h (from now), 2026-11-20T22:00, or epoch seconds',
);
const ON_RESOLVE_OPTION = switchOption('expire the silence as soon as its event resolves');

const create: Command = {
  words: ['silence', 'create'],
  summary: 'Silence a check, a client, a subscription, or the events that match a search',
  details: [
    'A silence with the same check and subscription, or the same selector, is replaced.',
    'A selector also matches future events; it cannot use attributes that change with every result.',
    'Without --expire, a silence never expires. With --recur, it is active repeatedly, for --duration each time;',
    '--dry-run shows the next windows and how daylight saving time changes them.',
  ],
  operands: [],
  options: {
    ...SEARCH_TARGET_OPTIONS,
    expire: valueOption(
      'DURATION',
      'duration of the silence: 1h, 1h30m, 2d, 90 minutes, a number of seconds, or never',
    ),
    begin: BEGIN_OPTION,
    'expire-on-resolve': ON_RESOLVE_OPTION,
    ...RECURRENCE_OPTIONS,
    reason: REASON_OPTION,
    creator: CREATOR_OPTION,
    ...NAMESPACE_OPTION,
    ...CHANGE_OPTIONS,
  },
  examples: [
    ["monctl silence create --client web-001 --expire 2h --reason 'CHG-4412'", 'a host in maintenance'],
    ['monctl silence create --client web-001 --check disk --expire-on-resolve', 'until the check is fixed'],
    ['monctl silence create --subscription web --begin 2026-11-21T02:00 --expire 1h', 'planned maintenance'],
    ["monctl silence create --selector 'client~web-* env=prod' --expire 1h", 'by search'],
    ["monctl silence create --check backup --recur 'sat,sun 02:00' --duration 2h", 'every weekend'],
    ['monctl silence create --subscription web --dry-run', 'preview the matching events'],
  ],
  async run(call) {
    const { flags, nowMs } = call;
    const target = requireTarget(flags);
    const recurrence = recurrenceOfFlags(flags, nowMs);
    if (recurrence === undefined) return createOnce(call, target, expireOf(flags));
    await createRecurring(call, targetId(target), withoutUndefined({ ...fieldsOf(call, target), recurrence }));
  },
};

const silenceShortcut: Command = {
  words: ['silence'],
  summary: 'Silence a client, a check or a subscription for a duration',
  details: [
    'The short form of "monctl silence create".',
    'TARGET is CLIENT, CLIENT/CHECK, subscription:NAME, subscription:NAME/CHECK, check:NAME or search:SEARCH.',
    'DURATION is 30m, 2h, 1h30m, 2d, "90 minutes" or never.',
  ],
  operands: ['DURATION', 'TARGET'],
  completes: [['30m', '1h', '2h', '4h', '8h', 'never'], 'client'],
  options: {
    reason: REASON_OPTION,
    begin: BEGIN_OPTION,
    'expire-on-resolve': ON_RESOLVE_OPTION,
    creator: CREATOR_OPTION,
    ...CHANGE_OPTIONS,
  },
  examples: [
    ['monctl silence 2h web-001 -m CHG-4412', 'a client'],
    ["monctl silence 2h web-001/disk -m 'disk is being replaced'", 'one check'],
    ['monctl silence 4h subscription:rack:r20 --begin 22:00 -m power', 'a rack, tonight'],
  ],
  async run(call) {
    const [duration = '', target = ''] = call.operands;
    const verb = findNearest(duration, SILENCE_VERBS);
    if (verb !== undefined && !/\d/.test(duration)) {
      throw new MonError('invalid', `monctl silence ${duration} is no command: did you mean monctl silence ${verb}?`);
    }
    const expire = duration === 'never' ? EXPIRE_NEVER : parseLifetime('DURATION', duration);
    await createOnce(call, readTarget(target), expire);
  },
};

const SILENCE_VERBS = ['list', 'info', 'create', 'update', 'delete'];

function fieldsOf(
  { flags, env }: CommandCall,
  target: SearchTarget,
): SearchTarget & { readonly reason: string | undefined; readonly creator: string } {
  return { ...target, reason: flags.value('reason'), creator: flags.value('creator') ?? defaultCreator(env) };
}

/** Creates a silence that does not recur, and shows what it matches. */
async function createOnce(call: CommandCall, target: SearchTarget, expire: number): Promise<void> {
  const { flags, nowMs } = call;
  const id = targetId(target);
  const begin = flags.value('begin');
  const entry = withoutUndefined({
    ...fieldsOf(call, target),
    expire,
    begin: begin === undefined ? undefined : parseBegin('--begin', begin, nowMs),
    expire_on_resolve: flags.switch('expire-on-resolve') ?? false,
  });
  const matches = flags.switch('dry-run') === true ? {} : await silenceMatches(call.api(), target);
  await carryOut(call, {
    send: (api) => api.silence(entry),
    effects: async () => [
      ...(await silenceEffects(call, id, entry)),
      ...matchLines(withoutUndefined({ unknown_client: await unknownClient(call.api(), target) })),
    ],
    value: () => ({ id, ...entry, ...matches }),
    successText: () =>
      [`silenced ${silenceName(entry)}${silencePeriodText(entry, nowMs)}`, ...matchLines(matches)].join('\n'),
  });
}

/**
 * Creates a recurring silence after the backend has returned its windows. A backend without support for recurrence
 * returns none, and would create a silence that never expires.
 */
async function createRecurring(
  call: CommandCall,
  id: string,
  entry: SubmittedMonSilenced & { readonly recurrence: Recurrence },
): Promise<void> {
  const { recurrence } = entry;
  const windows = await windowsAhead(call.api(), entry);
  const ahead = ['next windows:', ...windowLines(windows, recurrence.zone)];
  await carryOut(call, {
    send: (api) => api.silence(entry),
    effects: async () => [...(await silenceEffects(call, id, entry)), ...ahead],
    value: () => ({ id, ...entry, windows }),
    successText: () =>
      [`silenced ${silenceName(entry)}, recurring: ${recurrenceText(recurrence)}`, ...ahead].join('\n'),
  });
}

const update: Command = {
  words: ['silence', 'update'],
  summary: 'Change when a silence expires',
  details: [
    'The silence expires DURATION from now, or DURATION after its start if the silence is pending. Nothing else changes.',
  ],
  operands: ['ID', 'DURATION'],
  completes: ['silenced'],
  options: CHANGE_OPTIONS,
  examples: [['monctl silence update client:web-001:disk 2h', 'extend a maintenance']],
  async run(call) {
    const { api, nowMs } = call;
    const [, duration = ''] = call.operands;
    const id = idOf(call);
    const expire = duration === 'never' ? EXPIRE_NEVER : parseLifetime('DURATION', duration);
    const {
      subscription,
      check,
      selector,
      reason,
      creator,
      begin,
      expire_on_resolve,
      expire: before,
      recurrence,
    } = await requireSilence(api(), id);
    if (recurrence !== undefined) {
      throw new MonError(
        'invalid',
        `the silence ${id} recurs (${recurrenceText(recurrence)}), so it cannot be extended: create the silence again with another --duration`,
      );
    }
    const target = selector === undefined ? { subscription, check } : { selector };
    const name = silenceName({ selector, id });
    const entry = { ...target, reason, creator: creator ?? defaultCreator(call.env), begin, expire_on_resolve, expire };
    const until = silencePeriodText({ ...entry, begin: begin ?? 0 }, nowMs);
    await carryOut(call, {
      send: (to) => to.silence(entry),
      effects: () => [
        `${name} would be silenced${until}`,
        before === EXPIRE_NEVER ? 'it never expires now' : `it ends in ${formatDuration(before)} now`,
      ],
      value: () => ({ id, ...entry }),
      successText: () => `silenced ${name}${until}`,
    });
  },
};

const deletion: Command = {
  words: ['silence', 'delete'],
  summary: 'Delete a silence',
  details: ['--check alone deletes the silence of the check on all clients,', 'not every silence of that check.'],
  operands: ['[ID]'],
  completes: ['silenced'],
  options: { ...SEARCH_TARGET_OPTIONS, ...NAMESPACE_OPTION, ...DELETE_OPTIONS },
  examples: [
    ['monctl silence delete client:web-001:disk', 'by the id from `monctl silence list`'],
    ['monctl silence delete --client web-001 --check disk', 'by client and check'],
  ],
  async run(call) {
    const id = idOf(call);
    const named = searchTargetOf(call.flags);
    const hasParts = Object.values(named).some((part) => part !== undefined);
    if ((id === '') === !hasParts) {
      throw new MonError(
        'invalid',
        'select the silence by its ID, or by --check, --client, --subscription or --selector',
      );
    }
    const deleted = id === '' ? targetId(named) : id;
    await carryOut(call, {
      send: (api) => requireRemoved(api.clearSilenced({ id: deleted }), missingEntry(deleted)),
      effects: () => clearEffects(call, deleted),
      question: `delete ${deleted}`,
      value: () => ({ id: deleted, deleted: true }),
      successText: () => `deleted ${deleted}`,
    });
  },
};

export const silencedCommands: readonly Command[] = [
  list,
  ...[info, create, silenceShortcut, update, deletion].map(inAnyNamespace),
];

/**
 * Returns the id of the silence that the operand names: the id itself, or `search SEARCH`. If a namespace is given, the
 * id may begin with `entity:`, the prefix for clients in the v2 API.
 */
function idOf(call: CommandCall): string {
  const [named = ''] = call.operands;
  const search = /^search[ :](.+)$/su.exec(named)?.[1];
  if (search !== undefined) return targetId({ selector: search });
  return usesV2Api(call) ? named.replace(/^entity:/, 'client:') : named;
}

/** Returns the lifetime of a silence in seconds; without `--expire`, or with `never`, it is unlimited. */
function expireOf(flags: CommandCall['flags']): number {
  return flags.value('expire') === 'never' ? EXPIRE_NEVER : (flags.lifetime('expire') ?? EXPIRE_NEVER);
}
