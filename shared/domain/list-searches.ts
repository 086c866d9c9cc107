import type { AcknowledgementRow } from '../schemas/acknowledgement.ts';
import type { CommandLine } from '../schemas/command.ts';
import type { ClusterMember } from '../schemas/cluster.ts';
import type { ListedSchedule } from '../schemas/on-call.ts';
import type { ClientRow, SilencedRow } from '../schemas/feed.ts';
import type { GroupRow } from '../schemas/grouping.ts';
import type { InhibitionRow } from '../schemas/inhibition.ts';
import type { StoredResult } from '../schemas/result.ts';
import type { SilenceCounters } from '../schemas/silenced.ts';
import {
  choiceField,
  countField,
  durationField,
  flagField,
  listField,
  remainingField,
  statusField,
  textField,
  timeField,
  type Field,
} from './search-fields.ts';
import { commandText } from './command-text.ts';
import { searchLanguage } from './search-language.ts';
import { SILENCED_STATES, silencedState } from './silenced-state.ts';

/*
 * The search fields of all lists except the list of events (`search.ts`). They use only attributes that the rows have
 * in the REST API, in the feed and in the console.
 */

/**
 * Returns whether a client has an agent, which sends keepalives. Proxy clients and many created over the API do not.
 */
export function hasAgent({ keepalives }: Pick<ClientRow, 'keepalives'>): boolean {
  return keepalives !== false;
}

const SUBSCRIPTIONS_FIELD = listField<ClientRow>(
  'subscriptions',
  'a subscription',
  ({ subscriptions }) => subscriptions,
);

export const CLIENT_SEARCH = searchLanguage<ClientRow>(
  [
    textField('client', ({ name }) => name),
    textField('address', ({ address }) => address),
    textField('version', ({ version }) => version),
    SUBSCRIPTIONS_FIELD,
    { ...SUBSCRIPTIONS_FIELD, name: 'subscription', isAlias: true },
    // A client without an agent sends no keepalives, so it is never late with one.
    timeField('keepalive', 'since its last keepalive', (row) => (hasAgent(row) ? row.timestamp : undefined)),
    flagField('agent', hasAgent),
  ],
  ({ name, address, version, subscriptions }) => [name, address, version, ...subscriptions],
);

/** The attributes of a stored result (the last one of a check on a client) that a search evaluates. */
export interface SearchableResult {
  readonly client: string;
  readonly check: string;
  readonly status: number;
  /** Epoch seconds. */
  readonly executed: number;
  readonly output: string;
}

/** Returns the attributes of a stored result that a search evaluates. */
export function toSearchableResult({ client, check }: StoredResult): SearchableResult {
  const { name, status, executed, output } = check;
  return { client, check: name, status, executed, output };
}

export const RESULT_SEARCH = searchLanguage<SearchableResult>(
  [
    textField('client', ({ client }) => client),
    textField('check', ({ check }) => check),
    textField('output', ({ output }) => output),
    statusField(({ status }) => status),
    timeField('last', 'since it was executed', ({ executed }) => executed),
  ],
  ({ client, check, output }) => [client, check, output],
);

export const ACKNOWLEDGEMENT_SEARCH = searchLanguage<AcknowledgementRow>(
  [
    textField('client', ({ client }) => client),
    textField('check', ({ check }) => check),
    textField('owner', ({ owner }) => owner),
    textField('note', ({ note }) => note ?? ''),
    statusField(({ status }) => status),
    flagField('sticky', ({ sticky }) => sticky),
    remainingField('left', 'until it expires', ({ expires_at: end }) => end ?? undefined),
    timeField('age', 'since the event was acknowledged', ({ acknowledged_at: at }) => at),
  ],
  ({ client, check, owner, note = '' }) => [client, check, owner, note],
);

/** A silence, with the number of notifications that it suppressed if that is known. */
export type SearchableSilence = SilencedRow & Partial<SilenceCounters>;

export const SILENCED_SEARCH = searchLanguage<SearchableSilence>(
  [
    textField('id', ({ id }) => id),
    textField('subscription', ({ subscription }) => subscription ?? ''),
    textField('check', ({ check }) => check ?? ''),
    textField('selector', ({ selector }) => selector ?? ''),
    textField('creator', ({ creator }) => creator ?? ''),
    textField('reason', ({ reason }) => reason ?? ''),
    { ...choiceField<SearchableSilence>('state', SILENCED_STATES, silencedState), usesTime: true },
    remainingField('left', 'until it ends', ({ expire_at: end }) => end ?? undefined),
    timeField('age', 'since it was created', ({ timestamp }) => timestamp),
    flagField('on_resolve', ({ expire_on_resolve: isOnResolve }) => isOnResolve),
    flagField('idle', ({ idle }) => idle !== undefined),
    countField('suppressed', ({ suppressed }) => suppressed),
  ],
  ({ id, selector, creator, reason }) => [id, selector ?? '', creator ?? '', reason ?? ''],
);

/** An aggregate with its counters. */
export interface SearchableAggregate {
  readonly name: string;
  readonly clients: number;
  readonly checks: number;
  readonly results: Readonly<Record<AggregateCount | 'ok' | 'total', number>>;
}

type AggregateCount = 'critical' | 'warning' | 'unknown' | 'silenced' | 'down';

const AGGREGATE_COUNTS: readonly AggregateCount[] = ['critical', 'warning', 'unknown', 'silenced', 'down'];

export const AGGREGATE_SEARCH = searchLanguage<SearchableAggregate>(
  [
    textField('aggregate', ({ name }) => name),
    // `ok` is a percentage: unlike a number of results, it can be compared between aggregates of any size.
    countField('ok', ({ results: { ok, total } }) => (total === 0 ? undefined : Math.floor((100 * ok) / total))),
    ...AGGREGATE_COUNTS.map((count) => countField<SearchableAggregate>(count, ({ results }) => results[count])),
    countField('clients', ({ clients }) => clients),
    countField('checks', ({ checks }) => checks),
  ],
  ({ name }) => [name],
);

/**
 * A check that the backend schedules for subscriptions. `results` contains the number of clients by the severity of
 * their last result, if they were counted.
 */
export interface SearchableCheck {
  readonly name: string;
  readonly command?: CommandLine | null | undefined;
  readonly subscribers?: readonly string[] | null | undefined;
  readonly interval?: number | null | undefined;
  readonly cron?: string | null | undefined;
  /** Epoch seconds. */
  readonly next_run: number | null;
  readonly results?: Readonly<Record<CheckCount, number>> | null | undefined;
}

type CheckCount = 'ok' | 'critical' | 'warning' | 'unknown';

const CHECK_COUNTS: readonly CheckCount[] = ['ok', 'critical', 'warning', 'unknown'];

export const CHECK_SEARCH = searchLanguage<SearchableCheck>(
  [
    textField('check', ({ name }) => name),
    textField('command', ({ command }) => commandText(command ?? '')),
    listField('subscribers', 'a subscription', ({ subscribers }) => subscribers ?? []),
    durationField('interval', ({ interval }) => interval ?? undefined),
    textField('cron', ({ cron }) => cron ?? ''),
    remainingField('next', 'until its next run', ({ next_run: next }) => next ?? undefined),
    ...CHECK_COUNTS.map((count): Field<SearchableCheck> => countField(count, ({ results }) => results?.[count])),
  ],
  ({ name, command, subscribers }) => [name, commandText(command ?? ''), ...(subscribers ?? [])],
);

/** A dead letter: a notification whose handler failed and will not be retried. Times are in epoch seconds. */
export interface SearchableDeadLetter {
  readonly id: number;
  readonly handler: string;
  readonly client: string;
  readonly check: string;
  readonly failed_at: number;
  readonly attempts: number;
  readonly reason: string;
}

export const DEAD_LETTER_SEARCH = searchLanguage<SearchableDeadLetter>(
  [
    countField('id', ({ id }) => id),
    textField('handler', ({ handler }) => handler),
    textField('client', ({ client }) => client),
    textField('check', ({ check }) => check),
    textField('reason', ({ reason }) => reason),
    countField('tries', ({ attempts }) => attempts),
    timeField('age', 'since it failed', ({ failed_at: at }) => at),
  ],
  ({ id, handler, client, check, reason }) => [String(id), handler, `${client}/${check}`, reason],
);

export const MEMBER_SEARCH = searchLanguage<ClusterMember>(
  [
    textField('member', ({ name }) => name),
    textField('id', ({ id }) => id),
    textField('version', ({ version }) => version),
    choiceField<ClusterMember>('role', ['leader', 'follower'], ({ role }) => role),
    choiceField<ClusterMember>('state', ['ok', 'lagging', 'lost'], ({ state }) => state),
    countField('lag', ({ lag }) => lag),
    timeField('seen', 'since its last heartbeat', ({ last_seen: at }) => at),
    timeField('up', 'since it started', ({ since }) => since),
  ],
  ({ id, name, url, version }) => [id, name, url, version],
);

/** The search fields for the list of on-call schedules. */
export const SCHEDULE_SEARCH = searchLanguage<ListedSchedule>(
  [
    textField('schedule', ({ name }) => name),
    textField('person', ({ on_call: onCall }) => onCall?.person ?? 'nobody'),
    textField('next', ({ next }) => next?.person ?? ''),
    countField('gaps', ({ gaps = [] }) => gaps.length),
  ],
  ({ name, on_call: onCall, next }) => [name, onCall?.person ?? 'nobody', next?.person ?? ''],
);

/** The search fields for the list of groups (events that share one notification). */
export const GROUP_SEARCH = searchLanguage<GroupRow>(
  [
    textField('handler', ({ handler }) => handler),
    textField('namespace', ({ namespace }) => namespace),
    listField('by', 'a value of its group key', ({ by }) => Object.values(by)),
    countField('events', ({ firing }) => firing),
    countField('pending', ({ pending }) => pending),
    timeField('notified', 'since its last notification', ({ notified_at: at }) => at ?? undefined),
  ],
  ({ namespace, handler, by }) => [
    namespace,
    handler,
    ...Object.entries(by).map(([name, value]) => `${name}=${value}`),
  ],
);

/** The search fields for the list of inhibition rules. */
export const INHIBITION_SEARCH = searchLanguage<InhibitionRow>(
  [
    textField('inhibition', ({ name }) => name),
    textField('source', ({ source }) => source),
    textField('target', ({ target }) => target),
    listField('namespace', 'a namespace in which it inhibits events', ({ inhibitors }) =>
      inhibitors.map(({ namespace }) => namespace),
    ),
    listField('inhibitor', 'an inhibiting event', ({ inhibitors }) =>
      inhibitors.map(({ client, check }) => `${client}/${check}`),
    ),
    countField('inhibited', ({ inhibited }) => inhibited),
  ],
  ({ name, source, target, equal }) => [name, source, target, ...equal],
);
