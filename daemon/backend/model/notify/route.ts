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

/**
 * The verdicts about one event that are logged and counted after the commit: those of handlers that are not notified,
 * and those with a defective filter. It never contains the event itself, because logs contain no bodies (security S17).
 */
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

/** The handlers that the events of a check are routed to. */
export interface Route {
  readonly handlers: readonly RoutedHandler[];
  /**
   * The verdicts to report if no handler of the route can run: one for each name without a usable handler, and none for
   * a check that names no handler. Undefined if at least one handler can run.
   */
  readonly refusals: readonly HandlerVerdict[] | undefined;
  /** The handlers with the v2 event format. They get every event, even an OK event that resolves nothing. */
  readonly all: readonly RoutedHandler[];
}

/**
 * Which events the handlers of a namespace get. "none": no handler is defined. "problems": problems and their
 * resolutions. "all": at least one handler also gets OK events that resolve nothing.
 */
export type EventDemand = 'none' | 'problems' | 'all';

/** Maximum number of cached routes. It is bounded because results can name any handlers, even undefined ones. */
const ROUTES_MAX = 1000;

/** Maximum length of the key of a cached route. The key contains the names in a result; a longer one is not cached. */
const ROUTE_KEY_LENGTH_MAX = 1000;

/** Tells whether the queues of handlers have room. */
export interface Backlog {
  /** True if neither the handler's queue nor the dead-letter queue has room for one more run. */
  isFull(namespace: string, handler: string): boolean;
}

/** The settings of the backend that affect which notifications are sent. */
export type NotificationSettings = Pick<NotificationContext, 'renotifiesAfterSilence' | 'resolveWhileSilenced'>;

const DEFAULT_SETTINGS: NotificationSettings = { renotifiesAfterSilence: true, resolveWhileSilenced: 'defer' };

/**
 * Finds the handlers of a check by the current definitions. The routes are cached until a definition changes or the
 * cache is full.
 */
export class Routing {
  readonly definitions: Definitions;
  /** Returns the current settings. They can change while the backend runs, so they are read for each event. */
  readonly settings: () => NotificationSettings;
  readonly #backlog: Backlog;
  /** The cached routes by namespace, then by the names of handlers and pipelines in the check. */
  readonly #routes = new Map<string, Map<string, Route>>();
  #routeCount = 0;
  /** The cached results of `demand` by namespace. */
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

  /** Returns which events the handlers of a namespace get. */
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

  /** True if at least one handler of the check also gets OK events that resolve nothing. */
  notifiesOk(namespace: string, check: CheckResult): boolean {
    return this.demand(namespace) === 'all' && this.route(namespace, check).all.length > 0;
  }

  /** Returns the route for the events of a check. Checks that name the same handlers and pipelines share it. */
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
    // As in v1, a check without handlers is routed to the handler `default`, even if that is not defined. In namespaces
    // other than the default one, it is routed there only if that handler is defined.
    const isCustom = namespace !== DEFAULT_NAMESPACE && names.length === 1 && names[0] === DEFAULT_HANDLER;
    return isCustom && !definitions.hasHandler(DEFAULT_HANDLER) ? [] : routeHandlers(names, definitions);
  }

  /** Returns the verdict; `overflow` in its place if it leads to a run for which the queue has no room. */
  withinQueue(namespace: string, handler: RoutedHandler, verdict: HandlerVerdict): HandlerVerdict {
    return withinQueue(handler, verdict, (name) => this.isQueueFull(namespace, name));
  }

  /** True if neither the handler's queue nor the dead-letter queue has room for one more run. */
  isQueueFull(namespace: string, handler: string): boolean {
    return this.#backlog.isFull(namespace, handler);
  }

  /** Returns the inputs of the stages besides the event and the handler: definitions, open events, time, time zone. */
  inputs(namespace: string, events: StoredEvents, nowMs: number): StageInputs {
    // The time zone is determined only when a filter reads it, because few filters need it.
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

  /**
   * Returns the time zone of this machine. It is cached for one value of `nowMs`, so for one batch, because determining
   * it takes longer than everything else in a verdict.
   */
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

/**
 * True if a handler gets every event, as handlers with the v2 event format do: in Sensu Go, handlers also get OK events
 * unless a filter rejects them.
 */
function getsOk(definition: HandlerDefinition | undefined): boolean {
  return definition !== undefined && definition.type !== 'set' && definition.event_format === 'core';
}
