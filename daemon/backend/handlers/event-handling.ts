import type { StoredEvents } from '../../../shared/domain/filter-event.ts';
import {
  DEFAULT_HANDLER,
  handlerNames,
  isGrouping,
  isRun,
  judgeHandler,
  nameOf,
  refusal,
  routeHandlers,
  type HandlingCircumstances,
  type Quiet,
  type RoutedHandler,
} from '../../../shared/domain/handling.ts';
import { pipelineRefs, routePipelines } from '../../../shared/domain/v2/pipeline.ts';
import { isOwedTo, type Withholding } from '../../../shared/domain/withheld.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import type { HandlerVerdict } from '../../../shared/schemas/explain.ts';
import type { HandlerDefinition } from '../../../shared/schemas/handler.ts';
import type { CheckResult } from '../../../shared/schemas/result.ts';
import { localZone } from '../../schedule/subdue.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Definitions } from '../config/definitions.ts';

/** Whom an event was not given to, for the log. Never the event itself (security S17). */
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

export interface Route {
  readonly handlers: readonly RoutedHandler[];
  /** What there is to say while no handler of the route can run; undefined: one can. */
  readonly refusals: readonly HandlerVerdict[] | undefined;
  /** Handlers of version 2: they get every event, also one that is well and follows nothing. */
  readonly all: readonly RoutedHandler[];
}

/**
 * Who could be given events of a namespace: nobody, handlers that hear of problems, or some that hear of everything.
 */
export type Audience = 'nobody' | 'problems' | 'all';

/** Most routes that are kept, and longest list of names: results can name what nobody has defined, as they like. */
const ROUTES_MAX = 1000;

const ROUTE_KEY_LENGTH_MAX = 1000;

/** Where runs wait that were asked for. */
export interface Backlog {
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

  /** @param handlesSilenceEnds the setting `renotify-after-silence`, asked each time */
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
    const pipelines = pipelineRefs(check);
    const isSimple = names.length === 1 && pipelines.length === 0;
    const key = isSimple ? (names[0] ?? '') : JSON.stringify([names, pipelines]);
    let routes = this.#routes.get(namespace);
    if (routes === undefined) this.#routes.set(namespace, (routes = new Map()));
    let route = routes.get(key);
    if (route === undefined) {
      const workflows = pipelines.length === 0 ? [] : routePipelines(pipelines, this.definitions.in(namespace));
      route = routeOf([...this.#handlersOf(namespace, names), ...workflows]);
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
    // That checks without handlers go to `default` is a custom of version 1: elsewhere it takes one of that name.
    const isCustom = namespace !== DEFAULT_NAMESPACE && names.length === 1 && names[0] === DEFAULT_HANDLER;
    return isCustom && !definitions.hasHandler(DEFAULT_HANDLER) ? [] : routeHandlers(names, definitions);
  }

  /**
   * What becomes of an event at handlers, without anything being done about it.
   *
   * @param owing whom an inhibition kept it from, who are to hear of it when it is free; default: nobody
   */
  verdicts(
    handlers: readonly RoutedHandler[],
    event: Event,
    circumstances: HandlingCircumstances,
    owing: Withholding = {},
  ): HandlerVerdict[] {
    const owed: HandledEvent = event.action === 'resolve' ? event : { ...event, inhibition_ended: true };
    return handlers.map((handler) => this.judge(handler, isOwedTo(owing, handler.name) ? owed : event, circumstances));
  }

  /** The verdict of the rules, unless there is no place left for one more run. */
  judge(handler: RoutedHandler, event: Event, circumstances: HandlingCircumstances): HandlerVerdict {
    const verdict = judgeHandler(handler, event, circumstances);
    // An event that waits in its group takes no place yet.
    if (!isRun(verdict) || isGrouping(handler)) return verdict;
    if (!this.#backlog.isFull(circumstances.namespace, handler.name)) return verdict;
    return {
      ...nameOf(handler),
      verdict: 'overflow',
      reason: 'its queue and the dead-letter queue are full: fix the handler, then retry or drop dead letters',
    };
  }

  /** What a judgement may ask of the outside. */
  circumstances(namespace: string, events: StoredEvents, nowMs: number, quiet?: Quiet): HandlingCircumstances {
    // Few filters ask for the zone.
    const zone = (): string => this.#zoneAt(nowMs);
    return {
      namespace,
      definitions: this.definitions.in(namespace),
      events,
      quiet,
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

/** At the peer of version 2 whoever wants no word of what is well says so by a filter. */
function hearsAll(definition: HandlerDefinition | undefined): boolean {
  return definition !== undefined && definition.type !== 'set' && definition.event_format === 'core';
}
