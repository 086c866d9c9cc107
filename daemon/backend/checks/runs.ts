import { checkRequest, proxyCheckRequest, type RequestOrigin } from '../../../shared/domain/check-request.ts';
import { clientConditionOf, type ClientCondition } from '../../../shared/domain/proxy-clients.ts';
import { proxySplayMs } from '../../../shared/domain/proxy-splay.ts';
import { MonError } from '../../../shared/errors.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { ApiRequested } from '../../../shared/schemas/request.ts';
import type { Log } from '../../log/log.ts';
import { machineZone } from '../../schedule/subdue.ts';
import type { Definitions, NamedCheck } from '../model/config/definitions.ts';
import type { Clock, Store } from '../ports.ts';
import { readClients } from '../model/clients/queries.ts';
import type { Registry } from '../model/registry/registry.ts';

interface RequestDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace' | 'isStoredCheck'>;
  readonly registry: Registry;
  readonly store: Pick<Store, 'getMany'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends a check request to the agents of a namespace that have this subscription. */
  readonly publish: (namespace: string, subscription: string, check: CheckRequest) => void;
}

/** A run of a check that a caller of the API requested. */
export interface RequestedRun {
  readonly check: string;
  /** Subscriptions that replace those in the definition; undefined for no replacement. */
  readonly subscribers?: readonly string[] | undefined;
  readonly apiRequested: ApiRequested;
}

/** Number of clients that are read and tested against `proxy_requests` at a time, so that other work can run. */
const SLICE_CLIENTS = 200;

/** Maximum number of client names in one log record. */
const NAMED_CLIENTS_MAX = 10;

/** Requests check runs from agents, by schedule or on demand. */
export class CheckRequests implements Disposable {
  readonly #dependencies: RequestDependencies;
  readonly #conditions = new WeakMap<NamedCheck, ClientCondition>();
  readonly #splayed = new Set<Disposable>();

  constructor(dependencies: RequestDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Requests one run of a check now, regardless of its schedule, and even if it is standalone. The promise resolves
   * when the requests were sent, or scheduled if `splay` spreads them; agents may not have received them yet.
   *
   * @throws MonError `not_found` if no check of this name is defined
   */
  async requestRun(namespaceName: string, { check: name, subscribers, apiRequested }: RequestedRun): Promise<void> {
    const check = this.#defined(namespaceName, name);
    await this.publish(namespaceName, check, { subscribers, apiRequested });
  }

  /**
   * Rejects the name of a check that is not defined.
   *
   * @throws MonError `not_found` if no check of this name is defined
   */
  refuseUnknown(namespaceName: string, check: string): void {
    this.#defined(namespaceName, check);
  }

  /**
   * Requests one run of a check from the agents with its subscriptions, or one run for each client that its
   * `proxy_requests` match.
   *
   * @param by values that replace those of the definition. `periodMs` is the time until the next run, over which
   *   `splay` spreads the requests; its default is the interval of the check
   */
  async publish(
    namespaceName: string,
    check: NamedCheck,
    by: Partial<Pick<RequestedRun, 'subscribers' | 'apiRequested'>> & { readonly periodMs?: number | undefined } = {},
  ): Promise<void> {
    const subscribers = by.subscribers ?? check.subscribers ?? [];
    const requestFields = {
      issued: this.#now(),
      apiRequested: by.apiRequested,
      subscribers: by.subscribers,
      namespace: namespaceName,
      hasEntityTokens: this.#dependencies.definitions.isStoredCheck(namespaceName, check.name),
    };
    if (check.proxy_requests === undefined) {
      this.#send(namespaceName, subscribers, checkRequest(check, requestFields));
      return;
    }
    const requests = await this.#proxyRequests(namespaceName, check, requestFields);
    const { splay, splay_coverage: coverage } = check.proxy_requests;
    const periodMs = by.periodMs ?? (check.interval ?? 0) * 1000;
    const stepMs = splay === true ? proxySplayMs(periodMs, requests.length, coverage) : 0;
    this.#sendInSteps(namespaceName, subscribers, requests, stepMs);
  }

  /** Cancels the requests that `splay` delays and that were not sent yet. */
  [Symbol.dispose](): void {
    for (const timer of this.#splayed) timer[Symbol.dispose]();
  }

  /**
   * Builds one request for each client that the `proxy_requests` of a check match, sorted by client name. A client that
   * lacks an attribute used as a token is skipped and logged.
   */
  async #proxyRequests(
    namespaceName: string,
    check: NamedCheck,
    requestFields: RequestOrigin,
  ): Promise<CheckRequest[]> {
    const { registry, store, clock, log } = this.#dependencies;
    const matches = this.#conditionOf(check);
    const moment = { nowMs: clock.now(), zone: machineZone() };
    const requests: CheckRequest[] = [];
    const without: string[] = [];
    const missing = new Set<string>();
    const clients = registry.namespace(namespaceName).sortedClients();
    for (let start = 0; start < clients.length; start += SLICE_CLIENTS) {
      for (const [, record] of await readClients(store, clients.slice(start, start + SLICE_CLIENTS))) {
        if (!matches(namespaceName, record, moment)) continue;
        const made = proxyCheckRequest(check, record, requestFields);
        if ('request' in made) {
          requests.push(made.request);
        } else {
          without.push(record.name);
          for (const path of made.unmatched) missing.add(path);
        }
      }
    }
    if (without.length > 0) {
      log.warn(
        {
          check: check.name,
          unmatched_tokens: [...missing],
          clients: without.length,
          first_clients: without.slice(0, NAMED_CLIENTS_MAX),
        },
        'check requests were not sent: proxy clients lack attributes that the command uses as tokens',
      );
    }
    return requests;
  }

  /** Returns the parsed client condition of a check, cached by definition object: a reload creates new objects. */
  #conditionOf(check: NamedCheck): ClientCondition {
    let condition = this.#conditions.get(check);
    if (condition === undefined) this.#conditions.set(check, (condition = clientConditionOf(check)));
    return condition;
  }

  /**
   * Sends the requests at intervals of `stepMs`, or all at once if it is 0. Due times are computed from the start, so
   * timer delays do not add up. Requests that became due during one timer are sent together.
   */
  #sendInSteps(
    namespaceName: string,
    subscribers: readonly string[],
    requests: readonly CheckRequest[],
    stepMs: number,
  ): void {
    const { clock } = this.#dependencies;
    const startMs = clock.monotonic();
    let sent = 0;
    const sendDue = (): void => {
      const passedMs = clock.monotonic() - startMs;
      const due = stepMs === 0 ? requests.length : Math.floor(passedMs / stepMs) + 1;
      const issued = this.#now();
      for (const request of requests.slice(sent, due)) {
        this.#send(namespaceName, subscribers, { ...request, issued });
      }
      sent = due;
      if (sent >= requests.length) return;
      const timer = clock.after(Math.max(1, Math.ceil(sent * stepMs - passedMs)), () => {
        this.#splayed.delete(timer);
        sendDue();
      });
      this.#splayed.add(timer);
    };
    sendDue();
  }

  #defined(namespaceName: string, name: string): NamedCheck {
    const check = this.#dependencies.definitions.inNamespace(namespaceName).check(name);
    if (check === undefined) throw new MonError('not_found', `no check ${name} is defined`);
    return check;
  }

  /** Returns the current time in epoch seconds. */
  #now(): number {
    return Math.floor(this.#dependencies.clock.now() / 1000);
  }

  #send(namespaceName: string, subscribers: readonly string[], request: CheckRequest): void {
    for (const subscription of subscribers) this.#dependencies.publish(namespaceName, subscription, request);
  }
}
