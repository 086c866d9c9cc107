import type { StoredEvents } from '../../../../shared/domain/filter-event.ts';
import type { NotificationContext } from '../../../../shared/domain/notify/notification-context.ts';
import { rejectIfQueueFull } from '../../../../shared/domain/notify/decide-for-handler.ts';
import {
  DEFAULT_HANDLER,
  handlerNames,
  isOnCall,
  isRoutable,
  unroutableVerdict,
  routeHandlers,
  type RoutedHandler,
} from '../../../../shared/domain/notify/route.ts';
import type { StageInputs } from '../../../../shared/domain/notify/notification-context.ts';
import { wasHandlerNotified } from '../../../../shared/domain/notify/notification-log.ts';
import { pipelineRefs, routePipelines } from '../../../../shared/domain/v2/pipeline.ts';
import type { Event } from '../../../../shared/schemas/event.ts';
import type { HandlerVerdict } from '../../../../shared/schemas/explain.ts';
import { isRunningHandler, type HandlerDefinition } from '../../../../shared/schemas/handler.ts';
import type { NotificationLog } from '../../../../shared/schemas/notification-log.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { CheckResult } from '../../../../shared/schemas/result.ts';
import { machineZone } from '../../../schedule/subdue.ts';
import type { Definitions } from '../config/definitions.ts';

/**
 * The verdicts about one event to log and count after the commit: all verdicts except `handle`, and `handle` too if a
 * filter of the handler has a defect. The event itself is not included, because logs contain no bodies (security S17).
 */
export interface VerdictReport {
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
export interface HandlerRoute {
  readonly handlers: readonly RoutedHandler[];
  /**
   * Undefined if at least one handler of the route can run. Otherwise the verdicts to report: one for each configured
   * name that does not resolve to a usable handler, so empty if the check names no handler.
   */
  readonly verdictsIfNoHandlerRuns: readonly HandlerVerdict[] | undefined;
  /** The handlers with the v2 event format. They get every event, even an OK event that resolves nothing. */
  readonly v2Handlers: readonly RoutedHandler[];
}

/**
 * The kind of events that the handlers of a namespace get. "none": no handler is defined. "problems": problems and
 * their resolutions. "all": at least one handler also gets OK events that resolve nothing.
 */
export type RequiredEvents = 'none' | 'problems' | 'all';

/** Maximum number of cached routes. It is bounded because results can name any handlers, even undefined ones. */
const CACHED_ROUTES_MAX = 1000;

/**
 * Maximum length of the key of a cached route. The key contains names from a result; a route with a longer key is not
 * cached.
 */
const CACHED_ROUTE_KEY_LENGTH_MAX = 1000;

/** Tells whether a new run of a handler can be queued. */
export interface QueueCapacity {
  /** True if the queue of a handler and the dead-letter queue are both full, so that a new run would be rejected. */
  isFull(namespace: string, handler: string): boolean;
}

/** The settings of the backend that decide about notifications during and after silences. */
export type NotificationSettings = Pick<NotificationContext, 'renotifiesAfterSilence' | 'resolveWhileSilenced'>;

const DEFAULT_SETTINGS: NotificationSettings = { renotifiesAfterSilence: true, resolveWhileSilenced: 'defer' };

/**
 * Finds the handlers of a check in the current definitions. Routes are cached until a definition changes or the cache
 * is full.
 */
export class Routing {
  readonly definitions: Definitions;
  /** Returns the current settings. They can change while the backend runs, so they are read for each event. */
  readonly settings: () => NotificationSettings;
  readonly #queues: QueueCapacity;
  /** The cached routes by namespace, then by the names of handlers and pipelines in the check. */
  readonly #cachedRoutes = new Map<string, Map<string, HandlerRoute>>();
  #cachedRouteCount = 0;
  /** The cached results of `requiredEvents` by namespace. */
  readonly #cachedDemands = new Map<string, RequiredEvents>();
  #generation: number;
  #cachedZone: { readonly nowMs: number; readonly name: string } | undefined;

  constructor(
    definitions: Definitions,
    settings: () => NotificationSettings = () => DEFAULT_SETTINGS,
    queues: QueueCapacity = { isFull: () => false },
  ) {
    this.definitions = definitions;
    this.#queues = queues;
    this.settings = settings;
    this.#generation = definitions.generation;
  }

  /** Returns which events the handlers of a namespace get. */
  requiredEvents(namespace: string): RequiredEvents {
    this.#clearOutdatedCache();
    let demand = this.#cachedDemands.get(namespace);
    if (demand === undefined) {
      const handlers = [...this.definitions.inNamespace(namespace).handlers()];
      demand = handlers.some(([, definition]) => getsAllEvents(definition))
        ? 'all'
        : handlers.length > 0
          ? 'problems'
          : 'none';
      this.#cachedDemands.set(namespace, demand);
    }
    return demand;
  }

  /** True if at least one handler of the check also gets OK events that resolve nothing. */
  hasHandlerForOkEvents(namespace: string, check: CheckResult): boolean {
    return this.requiredEvents(namespace) === 'all' && this.route(namespace, check).v2Handlers.length > 0;
  }

  /**
   * Returns the route for the events of a check. Checks that name the same handlers and pipelines share one route
   * object.
   *
   * @param resolved for the resolution of a problem: its notification log
   */
  route(namespace: string, check: CheckResult, resolved?: NotificationLog): HandlerRoute {
    this.#clearOutdatedCache();
    const names = handlerNames(check);
    const pipelines = pipelineRefs(check);
    const namesOneHandler = names.length === 1 && pipelines.length === 0;
    const key = namesOneHandler ? (names[0] ?? '') : JSON.stringify([names, pipelines]);
    let routes = this.#cachedRoutes.get(namespace);
    if (routes === undefined) this.#cachedRoutes.set(namespace, (routes = new Map()));
    let route = routes.get(key);
    if (route === undefined) {
      const wasNotified = resolved && ((name: string) => wasHandlerNotified(resolved, name));
      const workflows =
        pipelines.length === 0 ? [] : routePipelines(pipelines, this.definitions.inNamespace(namespace), wasNotified);
      const handlers = [...this.#handlersNamed(namespace, names, wasNotified), ...workflows];
      route = createRoute(handlers);
      // A route to whoever is on call depends on the time.
      if (key.length <= CACHED_ROUTE_KEY_LENGTH_MAX && !handlers.some(isOnCall)) {
        routes.set(key, route);
        this.#cachedRouteCount++;
      }
    }
    return route;
  }

  #clearOutdatedCache(): void {
    if (this.#generation === this.definitions.generation && this.#cachedRouteCount < CACHED_ROUTES_MAX) return;
    this.#cachedRoutes.clear();
    this.#cachedRouteCount = 0;
    this.#cachedDemands.clear();
    this.#generation = this.definitions.generation;
  }

  #handlersNamed(
    namespace: string,
    names: readonly string[],
    wasNotified: ((handler: string) => boolean) | undefined,
  ): readonly RoutedHandler[] {
    const definitions = this.definitions.inNamespace(namespace);
    // As in Sensu Core, a check without handlers is routed to the handler `default`, even if that handler is not
    // defined. In all namespaces but `default`, this is done only if that handler is defined.
    const needsDefinition = namespace !== DEFAULT_NAMESPACE && names.length === 1 && names[0] === DEFAULT_HANDLER;
    if (needsDefinition && !definitions.hasHandler(DEFAULT_HANDLER)) return [];
    return routeHandlers(names, definitions, wasNotified);
  }

  /**
   * Returns the verdict `overflow` if a handler without `group_by` would run, but its queue and the dead-letter queue
   * are full. Otherwise returns the verdict unchanged.
   */
  rejectIfQueueFull(namespace: string, handler: RoutedHandler, verdict: HandlerVerdict): HandlerVerdict {
    return rejectIfQueueFull(handler, verdict, (name) => this.isQueueFull(namespace, name));
  }

  /** True if a run of the handler would get the verdict `overflow` now, because `QueueCapacity` has no room for it. */
  isQueueFull(namespace: string, handler: string): boolean {
    return this.#queues.isFull(namespace, handler);
  }

  /**
   * Returns the inputs of the decision stages besides the event and the handler: definitions, open events, time and
   * time zone.
   */
  stageInputs(namespace: string, events: StoredEvents, nowMs: number): StageInputs {
    // The time zone is determined only when a filter reads it, because few filters need it.
    const zone = (): string => this.#localZone(nowMs);
    return {
      namespace,
      definitions: this.definitions.inNamespace(namespace),
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
   * Returns the time zone of this machine. It is cached for one value of `nowMs`, that is, for one batch: finding the
   * time zone takes longer than the rest of a verdict.
   */
  #localZone(nowMs: number): string {
    if (this.#cachedZone?.nowMs !== nowMs) this.#cachedZone = { nowMs, name: machineZone() };
    return this.#cachedZone.name;
  }
}

function createRoute(handlers: readonly RoutedHandler[]): HandlerRoute {
  const verdictsIfNoHandlerRuns = handlers.flatMap((handler) =>
    isRoutable(handler) ? [] : unroutableVerdict(handler),
  );
  const v2Handlers = handlers.filter((handler) => handler.kind === 'handler' && getsAllEvents(handler.definition));
  return {
    handlers,
    verdictsIfNoHandlerRuns: verdictsIfNoHandlerRuns.length === handlers.length ? verdictsIfNoHandlerRuns : undefined,
    v2Handlers,
  };
}

/**
 * True if a handler has the v2 event format and therefore gets every event. In Sensu Go, handlers also get OK events
 * unless a filter rejects them.
 */
function getsAllEvents(definition: HandlerDefinition | undefined): boolean {
  return definition !== undefined && isRunningHandler(definition) && definition.event_format === 'core';
}
