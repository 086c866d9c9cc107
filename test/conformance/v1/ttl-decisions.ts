import type { Line } from '../scenario.ts';
import { at, itemsOf } from '../decision.ts';
import {
  combinedDecision,
  handlerOf,
  correctedBody,
  onDeliveries,
  onEveryBody,
  onRequest,
  withStatus,
  type RecordedExchange,
  type LineDecision,
} from './decision.ts';
import { keyOf, lastKeepalive, resultsSent, statusOf, succeeded, type SentResult } from './recorded-past.ts';

const STALE = /^Last check execution was \d+ seconds ago$/;
const UNMATCHED = 'Unmatched client token(s)';
/** The interval of the results that Sensu Core creates itself for a check whose ttl has passed, in seconds. */
const STALE_INTERVAL = 30;

/** Placeholder for the id of an event; ids are compared only by their type. */
const IDENTITY = { id: '00000000-0000-4000-8000-000000000000' };
const FIRST_OCCURRENCE = {
  occurrences: 1,
  occurrences_watermark: 1,
  last_ok: 0,
  action: 'create',
  timestamp: 0,
  last_state_change: 0,
  silenced: false,
  silenced_by: [],
};

const TO_THE_SECOND = 'a ttl is watched to the second, not at a sweep every 30 seconds';
const UNMATCHED_TEXT = 'completion, Decisions: the text for tokens without a match';
const STAYS_WATCHED = 'completion 1.20 DEFECT, a resolve result switches off the ttl: the check stays watched';

/** Decisions about late keepalives and late results. */
export const TTL_DECISIONS: readonly LineDecision[] = [
  everywhere(TO_THE_SECOND, (value) => {
    const ttl = at(value, 'ttl');
    const output = at(value, 'output');
    if (typeof ttl !== 'number' || typeof output !== 'string' || !STALE.test(output)) return value;
    const right = staleOutput(ttl);
    return output === right ? value : { ...(value as object), output: right };
  }),
  everywhere(UNMATCHED_TEXT, (value) =>
    typeof value === 'string' ? value.replace(UNMATCHED, 'Unmatched check token(s)') : value,
  ),
  combinedDecision(
    onRequest(
      (asked) => staleOf(asked) !== undefined,
      STAYS_WATCHED,
      (asked) => {
        const stale = staleOf(asked);
        if (stale === undefined) return asked.answer;
        return withStatus(asked, 200, asked.segments[0] === 'events' ? stale.event : stale.result);
      },
    ),
    onDeliveries(STAYS_WATCHED, (events, { line, earlier }) => {
      const before = earlier.findLast((one) => handlerOf(one) === handlerOf(line));
      const missing = staleAfterResolve(line, earlier).filter(
        ({ event, clock }) =>
          clock > (before?.clock ?? 0) && handlersOf(event.check).includes(handlerOf(line)) && !isAmong(event, events),
      );
      return missing.reduce((all, { event, clock }) => withInsertedEvent(all, event, clock), events);
    }),
  ),
];

/** Creates a decision that corrects a value in every response and in every delivery to a handler. */
function everywhere(because: string, mend: (value: unknown) => unknown): LineDecision {
  return combinedDecision(
    onEveryBody(because, mend),
    onDeliveries(because, (events) => events.map((event) => correctedBody(event, '', mend))),
  );
}

function staleOutput(ttl: number): string {
  return `Last check execution was ${String(ttl)} seconds ago`;
}

interface StaleCheck {
  readonly key: string;
  /** Time at which the ttl of the check passed, in epoch seconds. */
  readonly clock: number;
  readonly event: { readonly client: unknown; readonly check: Readonly<Record<string, unknown>> };
  readonly result: unknown;
}

function staleOf({
  method,
  segments: [collection, client, check],
  line,
  earlier,
  answer,
}: RecordedExchange): StaleCheck | undefined {
  if (method !== 'GET' || (collection !== 'events' && collection !== 'results')) return undefined;
  if (collection === 'results' && answer.status !== 200) return undefined;
  const stale = staleAfterResolve(line, earlier);
  return stale.find(({ key }) => key === keyOf(client, check));
}

/** Returns the checks whose event was resolved by a request, and whose ttl has passed without a result since then. */
function staleAfterResolve(line: Line, earlier: readonly Line[]): readonly StaleCheck[] {
  const resolved = succeeded(
    earlier,
    ({ method, path, segments }) =>
      (method === 'POST' && path === '/resolve') || (method === 'DELETE' && segments[0] === 'events'),
  );
  return resolved.flatMap(({ asked, index }): StaleCheck[] => {
    const [client, check] =
      asked.method === 'POST' ? [at(asked.json, 'client'), at(asked.json, 'check')] : asked.segments.slice(1);
    const sent = resultsSent(earlier).filter((one) => one.client === client && one.check['name'] === check);
    const last = sent.at(-1);
    const ttl = last?.check['ttl'];
    if (last === undefined || typeof ttl !== 'number' || last.index > index) return [];
    const clock = asked.line.clock + ttl;
    return clock > line.clock ? [] : [{ key: keyOf(client, check), clock, ...staleRecords(last, sent, ttl, earlier) }];
  });
}

function staleRecords(
  { client, check }: SentResult,
  sent: readonly SentResult[],
  ttl: number,
  earlier: readonly Line[],
): Pick<StaleCheck, 'event' | 'result'> {
  const status = Number(check['ttl_status'] ?? 1);
  const stale = { ...check, output: staleOutput(ttl), status, type: 'standard', interval: STALE_INTERVAL };
  const history = [...sent.map(statusOf), 0, status];
  return {
    result: { client, check: { ...stale, history } },
    event: {
      ...IDENTITY,
      client: lastKeepalive(client, earlier),
      check: { ...stale, history: history.map(String), total_state_change: 0 },
      ...FIRST_OCCURRENCE,
    },
  };
}

function handlersOf(check: Readonly<Record<string, unknown>>): readonly unknown[] {
  return [check['handler'], ...itemsOf(check['handlers'])];
}

function isAmong(event: StaleCheck['event'], events: readonly unknown[]): boolean {
  return events.some((one) => keyIn(one) === keyIn(event));
}

function keyIn(event: unknown): string {
  return keyOf(at(event, 'client', 'name'), at(event, 'check', 'name'));
}

/** Inserts the event of a stale check after the events of the checks whose ttl passed no later than `clock`. */
function withInsertedEvent(events: readonly unknown[], event: unknown, clock: number): readonly unknown[] {
  const place = events.findLastIndex((one) => {
    const [ttl, executed] = [at(one, 'check', 'ttl'), at(one, 'check', 'executed')];
    return typeof ttl === 'number' && typeof executed === 'number' && executed + ttl <= clock;
  });
  return events.toSpliced(place + 1, 0, event);
}
