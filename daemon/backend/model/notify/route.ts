import type { StoredEvents } from '../../../../shared/domain/filter-event.ts';
import type { NotificationContext } from '../../../../shared/domain/notify/context.ts';
import { withinQueue } from '../../../../shared/domain/notify/pipeline.ts';
import {
  DEFAULT_HANDLER,
  handlerNames,
  refusal,
  routeHandlers,
  type RoutedHandler,
} from '../../../../shared/domain/notify/route.ts';
import type { StageInputs } from '../../../../shared/domain/notify/context.ts';
import { pipelineRefs, routePipelines } from '../../../../shared/domain/v2/pipeline.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import type { HandlerDefinition } from '../../../../shared/schemas/handler.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { CheckResult } from '../../../../shared/schemas/result.ts';
import { localZone } from '../../../schedule/subdue.ts';
import type { Definitions } from '../config/definitions.ts';

/** The handlers that did not get an event, for the log. It never holds the event itself (security S17). */
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
  /** The verdicts to log if no handler of the route can run; undefined if one can. */
  readonly refusals: readonly HandlerVerdict[] | undefined;
  /** Handlers with the v2 event format: they get every event, also an OK one that resolves nothing. */
  readonly all: readonly RoutedHandler[];
}

/**
 * The handlers that may get events of a namespace: none, handlers that get problems only, or some that get every event.
 */
export type EventDemand = 'none' | 'problems' | 'all';

/** Most cached routes, and longest cached list of names: results can name any handlers, also undefined ones. */
const ROUTES_MAX = 1000;

const ROUTE_KEY_LENGTH_MAX = 1000;

/** The queues of runs. */
export interface Backlog {
  /** True if one more run of the handler would exceed its queue and the dead-letter queue. */
  isFull(namespace: string, handler: string): boolean;
}

/** The settings of the program that decide about notifications. */
export type NotificationSettings = Pick<NotificationContext, 'renotifiesAfterSilence' | 'resolveWhileSilenced'>;

const DEFAULT_SETTINGS: NotificationSettings = { renotifiesAfterSilence: true, resolveWhileSilenced: 'defer' };

/** The definitions in force, and the routes derived from them. */
export class Routing {
  readonly definitions: Definitions;
  /** Returns the settings in force; they are read each time. */
  readonly settings: () => NotificationSettings;
  readonly #backlog: Backlog;
  /** Routes by namespace, then by the list of names. */
  readonly #routes = new Map<string, Map<string, Route>>();
  #routeCount = 0;
  /** Demands by namespace. */
  readonly #demands = new Map<string, EventDemand>();
  #generation: number;
  #zone: { readonly nowMs: number; readonly name: string } | undefined;

  constructor(
    definitions: Definitions,
    settings: () => NotificationSettings = () => DEFAULT_SETTINGS,
    backlog: Backlog = { isFull: () => false },
  ) {
    this.definitions = definitions;
    this.#backlog = backlog;
    this.settings = settings;
    this.#generation = definitions.generation;
  }

  /** Returns which events of a namespace any handler may get. */
  demand(namespace: string): EventDemand {
    this.#forgetOutdated();
    let demand = this.#demands.get(namespace);
    if (demand === undefined) {
      const handlers = [...this.definitions.in(namespace).handlers()];
      demand = handlers.some(([, definition]) => getsOk(definition))
        ? 'all'
        : handlers.length > 0
          ? 'problems'
          : 'none';
      this.#demands.set(namespace, demand);
    }
    return demand;
  }

  /** True if a handler of this check also gets OK events that resolve nothing. */
  notifiesOk(namespace: string, check: CheckResult): boolean {
    return this.demand(namespace) === 'all' && this.route(namespace, check).all.length > 0;
  }

  /** Returns the handlers for the events of a check. The route is computed once for each list of names. */
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
    this.#demands.clear();
    this.#generation = this.definitions.generation;
  }

  #handlersOf(namespace: string, names: readonly string[]): readonly RoutedHandler[] {
    const definitions = this.definitions.in(namespace);
    // In v1 a check without handlers goes to `default`. In other namespaces that needs a handler of this name.
    const isCustom = namespace !== DEFAULT_NAMESPACE && names.length === 1 && names[0] === DEFAULT_HANDLER;
    return isCustom && !definitions.hasHandler(DEFAULT_HANDLER) ? [] : routeHandlers(names, definitions);
  }

  /** Returns a verdict, or `overflow` if the queue has no room for one more run. */
  withinQueue(namespace: string, handler: RoutedHandler, verdict: HandlerVerdict): HandlerVerdict {
    return withinQueue(handler, verdict, (name) => this.isQueueFull(namespace, name));
  }

  /** True if one more run of a handler would exceed its queue and the dead-letter queue. */
  isQueueFull(namespace: string, handler: string): boolean {
    return this.#backlog.isFull(namespace, handler);
  }

  /** Returns the surroundings that a verdict may depend on. */
  inputs(namespace: string, events: StoredEvents, nowMs: number): StageInputs {
    // Evaluated lazily, because few filters need the zone.
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

  /** Returns the local time zone, cached for each batch: finding it takes longer than the rest of a verdict. */
  #zoneAt(nowMs: number): string {
    if (this.#zone?.nowMs !== nowMs) this.#zone = { nowMs, name: localZone() };
    return this.#zone.name;
  }
}

function routeOf(handlers: readonly RoutedHandler[]): Route {
  const refusals = handlers.flatMap((handler) => (handler.kind === 'handler' ? [] : refusal(handler)));
  const all = handlers.filter((handler) => handler.kind === 'handler' && getsOk(handler.definition));
  return { handlers, refusals: refusals.length === handlers.length ? refusals : undefined, all };
}

/** True if a handler gets every event. In Sensu Go a handler gets OK events too, unless a filter excludes them. */
function getsOk(definition: HandlerDefinition | undefined): boolean {
  return definition !== undefined && definition.type !== 'set' && definition.event_format === 'core';
}
