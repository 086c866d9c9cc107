import type { Line, RecordedResponse } from '../scenario.ts';
import { at, itemsOf } from '../decision.ts';
import {
  combinedDecision,
  onDeliveries,
  onRequest,
  pageOf,
  shorterPage,
  withStatus,
  type RecordedExchange,
  type LineDecision,
} from './decision.ts';
import { deletedAt, keyOf, resultsSent, statusOf, succeeded, type SentResult } from './recorded-past.ts';

const NAME = /^[\w.-]+$/;

/** Names of recorded definitions that the settings for the replay (settings.json) cannot contain. */
const UNDEFINABLE: ReadonlySet<unknown> = new Set(['no_subs_check']);

/** Decisions about clients, checks, results and events. */
export const REGISTRY_DECISIONS: readonly LineDecision[] = [
  onRequest(
    ({ segments: [collection], answer }) =>
      collection === 'checks' &&
      (pageOf(answer) !== undefined || isUndefinable(answer.body) || itemsOf(answer.body).some(isUndefinable)),
    'reference 2.2: a subscription check without subscribers cannot be defined',
    (asked) => {
      if (isUndefinable(asked.answer.body)) return withStatus(asked, 404);
      if (pageOf(asked.answer) !== undefined) return shorterPage(asked.answer, UNDEFINABLE.size);
      return { ...asked.answer, body: itemsOf(asked.answer.body).filter((check) => !isUndefinable(check)) };
    },
  ),
  {
    ...onRequest(
      (asked) => isKeepaliveCrash(asked),
      'the peer answers 500 to every keepalive object: a valid one is accepted',
      (asked) =>
        isValidKeepalive(at(asked.json, 'keepalive'))
          ? withStatus(asked, 201, { name: at(asked.json, 'name') })
          : withStatus(asked, 400),
    ),
    restore: ({ line, earlier }) => (line.kind === 'exchange' ? earlierClient(line.request.body, earlier) : []),
  },
  refusedResults(
    'reference 2.2: a source has word characters, dots and hyphens; the peer makes a client of a token',
    ({ check }) => typeof check['source'] === 'string' && !NAME.test(check['source']),
  ),
  refusedResults('security S10: no name is . or ..', ({ check }) => ['.', '..'].includes(String(check['source']))),
  refusedResults('security S8: whole numbers beyond 2^53 are refused in results', ({ text }) => hasInexactNumber(text)),
  refusedResults(
    'completion, Decisions: what POST /results refuses is refused from agents as well',
    ({ check, isFromAgent }) => isFromAgent && !isValidFromAgent(check),
  ),
  combinedDecision(
    onRequest(
      ({ segments: [collection, client, check], answer, earlier }) =>
        collection === 'results' && isObject(answer.body) && lastWithoutStatus(earlier).has(keyOf(client, check)),
      'completion 1.6, POST /results: a missing status is 0 and a missing issued is now, whichever way the result came',
      ({ answer }) => {
        const result = answer.body as { readonly check: object };
        return { ...answer, body: { ...result, check: { status: 0, issued: 1, ...result.check } } };
      },
    ),
    ...leavesOut('a result without a status opens no event', {
      events: (client, check, earlier) => lastWithoutStatus(earlier).has(keyOf(client, check)),
      isDelivered: false,
    }),
  ),
  combinedDecision(
    ...leavesOut("completion, Decisions: DELETE /checks/:check also resolves the check's events", {
      events: (client, check, earlier) => isCheckDeleted(client, check, earlier),
      isDelivered: true,
    }),
  ),
  combinedDecision(
    ...leavesOut('the peer deletes a client within seconds, this backend before it answers', {
      clients: isClientDeleted,
      results: (client, _check, earlier) => isClientDeleted(client, earlier),
      events: (client, _check, earlier) => isClientDeleted(client, earlier),
      isDelivered: true,
    }),
  ),
];

type IsRefused = (sent: SentResult) => boolean;

/**
 * Creates decisions about results that Sensu Core accepted and `mon` rejects: later responses contain neither these
 * results nor their clients and events.
 */
function refusedResults(because: string, isRefused: IsRefused): LineDecision {
  const isLeftOut = (client: string, check: string, earlier: readonly Line[]): boolean =>
    leftOut(earlier, isRefused).some(
      (sent) => sent.check['name'] === check && (sent.client === client || peerNameOf(sent.client) === client),
    );
  const clients = (client: string, earlier: readonly Line[]): boolean => clientsLeftOut(earlier, isRefused).has(client);
  const [requests, deliveries] = leavesOut(because, {
    clients,
    results: isLeftOut,
    events: isLeftOut,
    isDelivered: false,
    count: (collection, earlier) => countLeftOut(collection, earlier, isRefused),
  });
  const post = onRequest(
    (asked) => {
      const [sent] = resultsSent([asked.line]);
      return sent !== undefined && isRefused(sent);
    },
    because,
    (asked) => withStatus(asked, 400),
  );
  return combinedDecision(post, requests, deliveries);
}

interface LeftOut {
  readonly clients?: (client: string, earlier: readonly Line[]) => boolean;
  readonly results?: (client: string, check: string, earlier: readonly Line[]) => boolean;
  readonly events: (client: string, check: string, earlier: readonly Line[]) => boolean;
  /** True if handlers receive the events nevertheless, because the events exist for a short time. */
  readonly isDelivered: boolean;
  /**
   * Returns how many items of a complete collection are missing. If this function is not given, totals of pages are not
   * corrected.
   */
  readonly count?: (collection: string, earlier: readonly Line[]) => number;
}

/** Creates decisions about clients, results and events that the recording contains but this backend does not have. */
function leavesOut(because: string, missing: LeftOut): readonly [LineDecision, LineDecision] {
  return [
    onRequest(
      (asked) => answerWithout(asked, missing) !== asked.answer,
      because,
      (asked) => answerWithout(asked, missing),
    ),
    onDeliveries(because, (events, { earlier }) =>
      missing.isDelivered
        ? events
        : events.filter((event) => !missing.events(nameAt(event, 'client'), nameAt(event, 'check'), earlier)),
    ),
  ];
}

/** Returns the response without the missing items, or the same response if nothing is missing. */
function answerWithout(asked: RecordedExchange, missing: LeftOut): RecordedResponse {
  const { segments, answer, earlier, method } = asked;
  const [collection = '', client = ''] = segments;
  if (answer.status !== 200 || (method !== 'GET' && method !== 'HEAD')) return answer;
  if (pageOf(answer) !== undefined) {
    const count = segments.length === 1 ? (missing.count?.(collection, earlier) ?? 0) : 0;
    return count === 0 ? answer : shorterPage(answer, count);
  }
  const isOut = (item: unknown): boolean => isItemLeftOut(collection, client, item, earlier, missing);
  if (isObject(answer.body)) return isOut(answer.body) ? withStatus(asked, 404) : answer;
  const items = itemsOf(answer.body);
  const rest = items.filter((item) => !isOut(item));
  return rest.length === items.length ? answer : { ...answer, body: rest };
}

function isItemLeftOut(
  collection: string,
  client: string,
  item: unknown,
  earlier: readonly Line[],
  { clients, results, events }: LeftOut,
): boolean {
  if (collection === 'results') return results?.(String(at(item, 'client')), nameAt(item, 'check'), earlier) === true;
  if (collection === 'events') return events(nameAt(item, 'client'), nameAt(item, 'check'), earlier);
  if (collection !== 'clients') return false;
  // The history of a client is a list with one item per check.
  const check = at(item, 'check');
  if (typeof check === 'string') return results?.(client, check, earlier) === true;
  return clients?.(String(at(item, 'name')), earlier) === true;
}

function nameAt(record: unknown, part: 'client' | 'check'): string {
  return String(at(record, part, 'name'));
}

/** Returns the rejected results, except those of a client and check for which another result was accepted. */
function leftOut(earlier: readonly Line[], isRefused: IsRefused): readonly SentResult[] {
  const sent = resultsSent(earlier);
  const accepted = new Set(
    sent.filter((one) => !isRefused(one)).map(({ client, check }) => keyOf(client, check['name'])),
  );
  const refused = sent.filter((one) => isRefused(one) && deletedAt(one.client, one.check['name'], earlier) < one.index);
  const byKey = new Map(refused.map((one) => [keyOf(one.client, one.check['name']), one]));
  return [...byKey].filter(([key]) => !accepted.has(key)).map(([, one]) => one);
}

/**
 * Returns the clients that only rejected results would have created. Results of agents do not count, because an agent
 * registers its client before it sends a result.
 */
function clientsLeftOut(earlier: readonly Line[], isRefused: IsRefused): ReadonlySet<string> {
  const sent = resultsSent(earlier);
  const others = new Set(sent.filter((one) => !isRefused(one)).map(({ client }) => client));
  const made = new Set(
    succeeded(earlier, ({ method, path }) => method === 'POST' && path === '/clients').map(({ asked }) =>
      at(asked.json, 'name'),
    ),
  );
  return new Set(
    leftOut(earlier, isRefused)
      .filter(({ client, isFromAgent }) => !isFromAgent && !others.has(client) && !made.has(client))
      .map(({ client }) => client),
  );
}

function countLeftOut(collection: string, earlier: readonly Line[], isRefused: IsRefused): number {
  if (collection === 'clients') return clientsLeftOut(earlier, isRefused).size;
  const left = leftOut(earlier, isRefused);
  if (collection === 'results') return left.length;
  return collection === 'events' ? left.filter((sent) => statusOf(sent) !== 0).length : 0;
}

/** Returns the name of a client in Sensu Core's list of results, which cuts the name at its first colon. */
function peerNameOf(client: string): string {
  return client.split(':', 1)[0] ?? client;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isUndefinable(check: unknown): boolean {
  return UNDEFINABLE.has(at(check, 'name'));
}

function isKeepaliveCrash({ method, path, json, answer }: RecordedExchange): boolean {
  return method === 'POST' && path === '/clients' && isObject(at(json, 'keepalive')) && answer.status === 500;
}

function isValidKeepalive(keepalive: unknown): boolean {
  const thresholds = at(keepalive, 'thresholds');
  const [handler, handlers] = [at(keepalive, 'handler'), at(keepalive, 'handlers')];
  return (
    (thresholds === undefined || (isObject(thresholds) && Object.values(thresholds).every(Number.isInteger))) &&
    (handler === undefined || typeof handler === 'string') &&
    (handlers === undefined || (Array.isArray(handlers) && handlers.every((name) => typeof name === 'string')))
  );
}

/**
 * Returns the requests that restore the client that Sensu Core still has, because it did not store the client with the
 * recorded keepalive attribute. If there was no earlier client, the request deletes it.
 */
function earlierClient(
  body: string | null,
  earlier: readonly Line[],
): ReturnType<NonNullable<LineDecision['restore']>> {
  const client = JSON.parse(body ?? 'null') as unknown;
  if (!isValidKeepalive(at(client, 'keepalive'))) return [];
  const name = String(at(client, 'name'));
  const before = succeeded(
    earlier,
    ({ method, path, json }) => method === 'POST' && path === '/clients' && at(json, 'name') === name,
  ).at(-1);
  return before === undefined || deletedAt(name, undefined, earlier) > before.index
    ? [{ request: ['DELETE', `/clients/${name}`], status: 202 }]
    : [{ request: ['POST', '/clients', before.asked.json], status: 201 }];
}

function hasInexactNumber(text: string): boolean {
  let isInexact = false;
  JSON.parse(text, (_key, value: unknown) => {
    if (Number.isInteger(value) && !Number.isSafeInteger(value)) isInexact = true;
    return value;
  });
  return isInexact;
}

function isValidFromAgent({ name, status }: SentResult['check']): boolean {
  return typeof name === 'string' && NAME.test(name) && (status === undefined || Number.isInteger(status));
}

/** Returns the keys (client and check) of the checks whose last result came from an agent and has no status. */
function lastWithoutStatus(earlier: readonly Line[]): ReadonlySet<string> {
  const last = new Map(resultsSent(earlier).map((sent) => [keyOf(sent.client, sent.check['name']), sent]));
  return new Set(
    [...last].filter(([, { check, isFromAgent }]) => isFromAgent && !('status' in check)).map(([key]) => key),
  );
}

/** Whether all results of a check were deleted, and this client has sent none since then. */
function isCheckDeleted(client: string, check: string, earlier: readonly Line[]): boolean {
  const deletion = succeeded(
    earlier,
    ({ method, segments }) => method === 'DELETE' && segments[0] === 'checks' && segments[1] === check,
  ).at(-1);
  return (
    deletion !== undefined &&
    !resultsSent(earlier).some(
      (sent) => sent.client === client && sent.check['name'] === check && sent.index > deletion.index,
    )
  );
}

/** Whether a client was deleted and has not been created again since then. */
function isClientDeleted(client: string, earlier: readonly Line[]): boolean {
  const deletion = succeeded(
    earlier,
    ({ method, segments }) => method === 'DELETE' && segments[0] === 'clients' && segments[1] === client,
  ).at(-1);
  if (deletion === undefined) return false;
  const { query, line } = deletion.asked;
  // While a client is invalidated, the backend drops results and keepalives from its agent.
  const invalidSeconds = query.get('invalidate') === 'true' ? Number(query.get('invalidate_expire') ?? Infinity) : 0;
  const validFrom = line.clock + invalidSeconds;
  return !earlier.slice(deletion.index + 1).some((later, index) => {
    const sent = resultsSent([later])[0];
    if (later.kind === 'publish')
      return (sent?.client ?? at(later.payload, 'name')) === client && later.clock >= validFrom;
    if (sent !== undefined) return sent.client === client;
    const past = earlier.slice(0, deletion.index + 1 + index);
    return succeeded([...past, later], ({ method, path }) => method === 'POST' && path === '/clients').some(
      ({ asked }) => asked.line === later && at(asked.json, 'name') === client,
    );
  });
}
