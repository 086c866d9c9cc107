import { CHECK_FIELDS, ENTITY_FIELDS } from '../../../shared/domain/v2/event-shape.ts';
import { at, itemsOf } from '../decision.ts';
import { onObservation, onRequest, requestsBefore, type Decision, type Recorded } from './decision.ts';
import { handledEventsOf, type Exchange } from './recording.ts';

const EVENTS = /\/events(?:\/[^/]+){0,2}$/;

/** Decisions about events, their delivery to handlers, and filters. */
export const EVENT_DECISIONS: readonly Decision[] = [
  onObservation(
    ({ what, record }) => what === 'filter' && record['expression'] === 'event.check.last_ok > 0',
    'it loses when a check was last OK where events come without the time of their run',
    () => true,
  ),
  onObservation(
    ({ what, record }) => what === 'filter' && /event\.(?:entity|check)\.metadata\b/.test(String(record['expression'])),
    'it loses the metadata in filters, so that such a filter keeps nothing out: here it means what it says',
    () => false,
  ),
  onObservation(
    ({ what, data }) => what.startsWith('handler:') && handledEventsOf(data).some((event) => at(event, 'metrics')),
    'it loses the time of an event that brings metrics',
    ({ data }) => handledEventsOf(data).map((event) => ({ metrics: { handlers: at(event, 'metrics', 'handlers') } })),
  ),
  onObservation(
    ({ what, data }, recorded) => what === 'ttl' && beganWithProblem(nameOf(data), recorded),
    'it does not count the first problem of a check, so that each is told of once too late (completion 1.4)',
    ({ data }) => ({ event: countedFromFirst(data) }),
  ),
  onRequest(
    ({ method, path }, recorded) => method === 'GET' && EVENTS.test(path) && hasGoneStale(recorded),
    'it does not count the first problem of a check (completion 1.4), and checks of an agent that only events tell of never become stale (reference 6.3)',
    ({ answer }, recorded) => ({
      status: 200,
      body: itemsOf(answer.body).map((event) =>
        at(event, 'entity', 'entity_class') === 'agent' || at(event, 'check', 'status') === 0
          ? { check: { status: 1 }, entity: { metadata: { name: nameOf(event) } } }
          : beganWithProblem(nameOf(event), recorded)
            ? countedFromFirst(event)
            : { check: { status: 1, occurrences: at(event, 'check', 'occurrences') } },
      ),
    }),
  ),
  onRequest(
    ({ method, path }, recorded) =>
      method === 'GET' && /\/entities(?:\/[^/]+)?$/.test(path) && agentsOfEvents(recorded).size > 0,
    'it loses the entities of agents that only events tell of',
    ({ path }, recorded) => {
      const name = /\/entities\/([^/]+)$/.exec(path)?.[1];
      if (name === undefined) return { status: 200 };
      return agentsOfEvents(recorded).has(name) ? { status: 200, body: { metadata: { name } } } : { status: 404 };
    },
  ),
  onRequest(
    ({ method, path, body, answer }) =>
      method === 'POST' && EVENTS.test(path) && isMetricsOnly(body) && answer.status === 0,
    'it crashes on an event without a check',
    () => ({ status: 400 }),
  ),
  onRequest(
    ({ method, path, answer }) =>
      method === 'GET' && EVENTS.test(path) && eventsIn(answer.body).some((event) => hasForgottenFlapping(event)),
    'it forgets that a check flaps: that would end at its low threshold, which means nothing there (completion 1.5)',
    ({ answer: { body } }) => ({
      status: 200,
      body: Array.isArray(body) ? itemsOf(body).map(flapping) : flapping(body),
    }),
  ),
  onRequest(
    ({ method, path, answer }, recorded) =>
      method === 'GET' &&
      EVENTS.test(path) &&
      at(answer.body, 'check', 'is_silenced') === true &&
      at(answer.body, 'check', 'status') === 0 &&
      requestsBefore(recorded).some(({ body }) => at(body, 'expire_on_resolve') === true),
    'the entry has ended with the problem: what is silenced is told when it is asked for (completion, Decisions)',
    ({ answer: { body } }) => ({
      status: 200,
      body: {
        check: { is_silenced: false, state: 'passing', total_state_change: at(body, 'check', 'total_state_change') },
      },
    }),
  ),
  onRequest(
    ({ method, path, answer }) =>
      method === 'GET' && EVENTS.test(path) && itemsOf(answer.body).some((event) => at(event, 'check', 'ttl') === -1),
    'an event that had a ttl comes back after its deletion, with a ttl of -1',
    ({ answer }) => {
      const left = itemsOf(answer.body).filter((event) => at(event, 'check', 'ttl') !== -1);
      return { status: 200, body: left.map((event) => ({ entity: { metadata: { name: nameOf(event) } } })) };
    },
  ),
  onRequest(
    ({ method, path }, recorded) => method === 'GET' && EVENTS.test(path) && hasMadeUpPast(lastReported(recorded)),
    'it lets who reports a first event make up what came before, and silence it without an entry (reference 6.2)',
    ({ answer }) => ({
      status: 200,
      body: itemsOf(answer.body).map(() => ({
        check: { history: null, total_state_change: 0, occurrences_watermark: 1, is_silenced: false },
      })),
    }),
  ),
  onRequest(
    ({ method, path }, recorded) => method === 'GET' && EVENTS.test(path) && hasCustom(lastReported(recorded)),
    'it loses custom attributes, which are copied into event data (reference 2.2)',
    (_request, recorded) => {
      const { check, entity } = customOf(lastReported(recorded));
      return { status: 200, body: [{ check, entity }] };
    },
  ),
];

function nameOf(event: unknown): string {
  return String(at(event, 'entity', 'metadata', 'name'));
}

/** Returns the events in a body: the items of a list, or the body itself as the only event. */
function eventsIn(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? itemsOf(body) : [body];
}

function reportsBefore(recorded: Pick<Recorded, 'earlier'>): readonly Exchange[] {
  return requestsBefore(recorded).filter(
    ({ method, path }) => (method === 'POST' || method === 'PUT') && EVENTS.test(path),
  );
}

/** Returns the body of the last request that reported an event; `undefined` if there is none. */
function lastReported(recorded: Pick<Recorded, 'earlier'>): unknown {
  return reportsBefore(recorded).at(-1)?.body;
}

/** True if the first reported event of the entity has a status other than 0. */
function beganWithProblem(entity: string, recorded: Pick<Recorded, 'earlier'>): boolean {
  const first = reportsBefore(recorded).find(({ body }) => nameOf(body) === entity);
  return Number(at(first?.body, 'check', 'status') ?? 0) !== 0;
}

/**
 * Returns the part of an event that counts occurrences, with both counts raised by one to include the first problem.
 */
function countedFromFirst(event: unknown): object {
  const occurrences = Number(at(event, 'check', 'occurrences')) + 1;
  const watermark = Number(at(event, 'check', 'occurrences_watermark')) + 1;
  return {
    check: {
      status: at(event, 'check', 'status'),
      occurrences,
      occurrences_watermark: watermark,
      interval: at(event, 'check', 'interval'),
    },
  };
}

function hasGoneStale({ earlier }: Pick<Recorded, 'earlier'>): boolean {
  return earlier.some(
    ({ kind, ...line }) => kind === 'observation' && 'what' in line && line.what === 'ttl' && (line.atSeconds ?? 0) > 0,
  );
}

/** Returns the names of agent entities whose events were reported over the API. */
function agentsOfEvents(recorded: Pick<Recorded, 'earlier'>): ReadonlySet<string> {
  const reported = reportsBefore(recorded).filter(({ body }) => at(body, 'entity', 'entity_class') === 'agent');
  return new Set(reported.map(({ body }) => nameOf(body)));
}

function isMetricsOnly(body: unknown): boolean {
  return at(body, 'metrics') !== undefined && at(body, 'check') === undefined;
}

/** True if Sensu Go no longer marks a check as flapping although its state change is still above the low threshold. */
function hasForgottenFlapping(event: unknown): boolean {
  const [low, high, change] = ['low_flap_threshold', 'high_flap_threshold', 'total_state_change'].map((name) =>
    Number(at(event, 'check', name) ?? 0),
  );
  const isBetween = Number(low) > 0 && Number(change) >= Number(low) && Number(change) < Number(high);
  return isBetween && at(event, 'check', 'state') !== 'flapping';
}

function flapping(event: unknown): object {
  const state = hasForgottenFlapping(event) ? 'flapping' : at(event, 'check', 'state');
  return { check: { state, total_state_change: at(event, 'check', 'total_state_change') } };
}

function hasMadeUpPast(event: unknown): boolean {
  return ['history', 'occurrences', 'silenced'].some((name) => at(event, 'check', name) !== undefined);
}

/** Returns the custom attributes of the check and the entity of an event, which Sensu Go would drop. */
function customOf(event: unknown): { readonly check: object; readonly entity: object } {
  return {
    check: withoutFields(at(event, 'check'), CHECK_FIELDS),
    entity: withoutFields(at(event, 'entity'), ENTITY_FIELDS),
  };
}

function withoutFields(part: unknown, known: object): object {
  return Object.fromEntries(
    Object.entries(part ?? {}).filter(([name]) => name !== 'metadata' && !Object.hasOwn(known, name)),
  );
}

function hasCustom(event: unknown): boolean {
  const { check, entity } = customOf(event);
  return Object.keys({ ...check, ...entity }).length > 0;
}
