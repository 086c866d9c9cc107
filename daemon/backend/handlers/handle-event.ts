import { buildEvent } from '../../../shared/domain/build-event.ts';
import type { EventState } from '../../../shared/domain/event.ts';
import type { StoredEvents } from '../../../shared/domain/filter-event.ts';
import {
  DEFAULT_HANDLER,
  handlerNames,
  heedsSilences,
  isHandlingDisabled,
  isRun,
  isSuppressedRun,
  judgeHandler,
  refusal,
  routeHandlers,
  type HandlingCircumstances,
  type RoutedHandler,
} from '../../../shared/domain/handling.ts';
import type { History } from '../../../shared/domain/history.ts';
import { canBeSilenced, silencedBy } from '../../../shared/domain/silencing.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../shared/schemas/explain.ts';
import type { HandlerDefinition } from '../../../shared/schemas/handler.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import { localZone } from '../../schedule/subdue.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Definitions } from '../config/definitions.ts';
import type { ClientEntry } from '../registry/entries.ts';
import { openEvents } from '../events/state.ts';
import type { Transaction } from '../commit/transaction.ts';

/** An event that is to be handled, stored or not. */
export interface Occasion {
  readonly client: ClientEntry;
  /** With its whole output. */
  readonly check: CheckResult;
  readonly state: EventState;
  /** With the status of `check` at its new end. */
  readonly history: History;
}

/** Whom an event was not given to, for the log. Never the event itself (design, S17). */
export interface HandlingNote {
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  readonly status: number;
  readonly action: Event['action'];
  readonly occurrences: number;
  readonly event_id: string;
  readonly verdicts: readonly HandlerVerdict[];
}

interface Route {
  readonly handlers: readonly RoutedHandler[];
  /** What there is to say while no handler of the route can run; undefined: one can. */
  readonly refusals: readonly HandlerVerdict[] | undefined;
  /** Those that get every event, also one that is well and follows nothing: the handlers of the newer API. */
  readonly all: readonly RoutedHandler[];
}

/** Who could be given events of a namespace: nobody, handlers that hear of problems, or some that hear of everything. */
export type Audience = 'nobody' | 'problems' | 'all';

/** Most routes that are kept, and longest list of names: results can name what nobody has defined, as they like. */
const ROUTES_MAX = 1000;
const ROUTE_KEY_LENGTH_MAX = 1000;

/** Where runs wait that were asked for. */
interface Backlog {
  /** Whether a further run of the handler would have no place. */
  isFull(namespace: string, handler: string): boolean;
}

/** What handling works by: the definitions in force, and the routes that follow from them. */
export class EventHandling {
  readonly definitions: Definitions;
  readonly handlesSilenceEnds: () => boolean;
  readonly #backlog: Backlog;
  /** By namespace, then by the list of names. */
  readonly #routes = new Map<string, Map<string, Route>>();
  #routeCount = 0;
  /** By namespace. */
  readonly #audiences = new Map<string, Audience>();
  #generation: number;
  #zone: { readonly nowMs: number; readonly name: string } | undefined;

  /** @param handlesSilenceEnds the setting `handle-when-silence-ends`, asked each time */
  constructor(
    definitions: Definitions,
    handlesSilenceEnds: () => boolean = () => true,
    backlog: Backlog = { isFull: () => false },
  ) {
    this.definitions = definitions;
    this.#backlog = backlog;
    this.handlesSilenceEnds = handlesSilenceEnds;
    this.#generation = definitions.generation;
  }

  /** Who an event of a namespace could be given to. */
  audience(namespace: string): Audience {
    this.#forgetOutdated();
    let audience = this.#audiences.get(namespace);
    if (audience === undefined) {
      const handlers = [...this.definitions.in(namespace).handlers()];
      audience = handlers.some(([, definition]) => hearsAll(definition))
        ? 'all'
        : handlers.length > 0
          ? 'problems'
          : 'nobody';
      this.#audiences.set(namespace, audience);
    }
    return audience;
  }

  /** Whether a handler of this check gets also what is well and follows nothing. */
  tellsAll(namespace: string, check: CheckResult): boolean {
    return this.audience(namespace) === 'all' && this.route(namespace, check).all.length > 0;
  }

  /** Where the events of a check go; worked out once for each list of names. */
  route(namespace: string, check: CheckResult): Route {
    this.#forgetOutdated();
    const names = handlerNames(check);
    const key = names.length === 1 ? (names[0] ?? '') : JSON.stringify(names);
    let routes = this.#routes.get(namespace);
    if (routes === undefined) this.#routes.set(namespace, (routes = new Map()));
    let route = routes.get(key);
    if (route === undefined) {
      route = routeOf(this.#handlersOf(namespace, names));
      if (key.length <= ROUTE_KEY_LENGTH_MAX) {
        routes.set(key, route);
        this.#routeCount++;
      }
    }
    return route;
  }

  #forgetOutdated(): void {
    if (this.#generation === this.definitions.generation && this.#routeCount < ROUTES_MAX) return;
    this.#routes.clear();
    this.#routeCount = 0;
    this.#audiences.clear();
    this.#generation = this.definitions.generation;
  }

  #handlersOf(namespace: string, names: readonly string[]): readonly RoutedHandler[] {
    const definitions = this.definitions.in(namespace);
    // That checks without handlers go to `default` is a custom of the legacy API: elsewhere it takes one of that name.
    const isCustom = namespace !== DEFAULT_NAMESPACE && names.length === 1 && names[0] === DEFAULT_HANDLER;
    return isCustom && !definitions.hasHandler(DEFAULT_HANDLER) ? [] : routeHandlers(names, definitions);
  }

  /** What becomes of an event at each of its handlers, without anything being done about it. */
  verdicts(namespace: string, event: Event, events: StoredEvents, nowMs: number): HandlerVerdict[] {
    const circumstances = this.circumstances(namespace, events, nowMs);
    return this.route(namespace, event.check).handlers.map((handler) => this.judge(handler, event, circumstances));
  }

  /** The verdict of the rules, unless there is no place left for one more run. */
  judge(handler: RoutedHandler, event: Event, circumstances: HandlingCircumstances): HandlerVerdict {
    const verdict = judgeHandler(handler, event, circumstances);
    if (!isRun(verdict) || !this.#backlog.isFull(circumstances.namespace, handler.name)) return verdict;
    return {
      handler: handler.name,
      verdict: 'overflow',
      reason:
        'its queue is full, and so is the list of dead letters: mend the handler, then retry or drop dead letters',
    };
  }

  /** What a judgement may ask of the outside. */
  circumstances(namespace: string, events: StoredEvents, nowMs: number): HandlingCircumstances {
    // Few filters ask for the zone.
    const zone = (): string => this.#zoneAt(nowMs);
    return {
      namespace,
      definitions: this.definitions.in(namespace),
      events,
      moment: {
        nowMs,
        get zone() {
          return zone();
        },
      },
    };
  }

  /** Found out once for each batch: it takes longer than all the rest of a judgement. */
  #zoneAt(nowMs: number): string {
    if (this.#zone?.nowMs !== nowMs) this.#zone = { nowMs, name: localZone() };
    return this.#zone.name;
  }
}

function routeOf(handlers: readonly RoutedHandler[]): Route {
  const refusals = handlers.flatMap((handler) => (handler.kind === 'handler' ? [] : refusal(handler)));
  const all = handlers.filter((handler) => handler.kind === 'handler' && hearsAll(handler.definition));
  return { handlers, refusals: refusals.length === handlers.length ? refusals : undefined, all };
}

/** At the peer of the newer API whoever wants no word of what is well says so by a filter. */
function hearsAll(definition: HandlerDefinition | undefined): boolean {
  return definition !== undefined && definition.type !== 'set' && definition.event_format === 'core';
}

/**
 * Decides for each handler of an event whether it runs, and asks for those runs in the commit of the event. Its own
 * entry in the registry must be up to date, and silences that end with it gone.
 *
 * @returns what the event is to remember: whether a silence keeps back what would have run, from the first such run until
 * one is made without a silence
 */
export function handleEvent(transaction: Transaction, occasion: Occasion): EventState['isSuppressed'] {
  const { check, state } = occasion;
  const { handlers, refusals } = transaction.handling.route(occasion.client.namespace.name, check);
  if (handlers.length === 0) return state.isSuppressed;
  // The usual case of who has no handlers yet: no event is put together for it.
  const inAdvance = isHandlingDisabled(check) ? DISABLED : refusals;
  if (inAdvance !== undefined) {
    note(transaction, occasion, inAdvance);
    return state.isSuppressed;
  }
  return askForRuns(transaction, occasion, handlers);
}

/** Gives an event that is well and follows nothing to those handlers of its check that get every event. */
export function handleWell(transaction: Transaction, occasion: Occasion): void {
  const { client, check } = occasion;
  if (isHandlingDisabled(check)) return;
  askForRuns(transaction, occasion, transaction.handling.route(client.namespace.name, check).all);
}

/**
 * Handles an open event that silences kept from handlers and nothing silences any more, for those handlers alone: the
 * others had it already. What is said and what runs is as if it had occurred just now.
 */
export function handleSilenceEnd(transaction: Transaction, occasion: Occasion): void {
  const { check, client } = occasion;
  if (isHandlingDisabled(check)) {
    note(transaction, occasion, DISABLED);
    return;
  }
  const { handlers } = transaction.handling.route(client.namespace.name, check);
  askForRuns(transaction, occasion, handlers.filter(heedsSilences));
}

/** Once for the event, whoever its handlers are. */
const DISABLED: readonly HandlerVerdict[] = [
  { handler: '*', verdict: 'disabled', reason: 'its check says handle: false' },
];

function askForRuns(
  transaction: Transaction,
  occasion: Occasion,
  handlers: readonly RoutedHandler[],
): EventState['isSuppressed'] {
  const { client, state } = occasion;
  const { namespace } = client;
  const record = transaction.client(client);
  const event = buildEvent({ ...occasion, client: record, silencedBy: silencesOf(occasion, transaction.nowMs) });
  const unsilenced = transaction.handling.handlesSilenceEnds() ? afterSilence(event, state) : undefined;
  const circumstances = transaction.handling.circumstances(namespace.name, openEvents(namespace), transaction.nowMs);
  const verdicts: HandlerVerdict[] = [];
  let hasRun = false;
  let isSuppressed = state.isSuppressed;
  for (const handler of handlers) {
    const given = unsilenced !== undefined && heedsSilences(handler) ? unsilenced : event;
    const verdict = transaction.handling.judge(handler, given, circumstances);
    verdicts.push(verdict);
    if (isRun(verdict)) {
      transaction.addJob(namespace, handler.name, given);
      hasRun = true;
    } else if (verdict.verdict === 'silenced' && isSuppressedRun(handler, event, circumstances)) {
      transaction.noteSuppressed(namespace, event.silenced_by);
      isSuppressed = true;
    }
  }
  note(transaction, occasion, verdicts);
  return unsilenced !== undefined || (hasRun && !event.silenced) ? undefined : isSuppressed;
}

/**
 * The event as handlers get it that silences kept it from, the first time that nothing silences it: whether the end of the
 * silence is noticed by the clock or by a result, it is told once. Undefined: nothing was kept back, or still is. Who
 * hears that a problem is over needs no word of the silence.
 */
function afterSilence(event: Event, { isSuppressed }: EventState): HandledEvent | undefined {
  if (isSuppressed !== true || event.silenced || event.action === 'resolve') return undefined;
  return { ...event, silence_ended: true };
}

/** Ids of the entries that silence an event at this moment. */
export function silencesOf({ client, check, state }: Occasion, nowMs: number): readonly string[] {
  const { namespace, subscriptions } = client;
  return canBeSilenced(state) ? silencedBy(namespace.silenced, subscriptions, check.name, nowMs) : NONE;
}

const NONE: readonly string[] = [];

function note(transaction: Transaction, { client, check, state }: Occasion, verdicts: readonly HandlerVerdict[]): void {
  const worthSaying = verdicts.filter(({ verdict, defects }) => verdict !== 'handle' || defects !== undefined);
  if (worthSaying.length === 0) return;
  transaction.noteHandling({
    namespace: client.namespace.name,
    client: client.name,
    check: check.name,
    status: state.status,
    action: state.action,
    occurrences: state.occurrences,
    event_id: state.id,
    verdicts: worthSaying,
  });
}
