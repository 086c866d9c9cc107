import { setImmediate as nextTurn } from 'node:timers/promises';
import { expressionPaths, matchesAttributes } from '../../../shared/domain/attributes.ts';
import { checkRequest, proxyCheckRequest, type Asked } from '../../../shared/domain/check-request.ts';
import { MonError } from '../../../shared/errors.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { ApiRequested } from '../../../shared/schemas/request.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions, NamedCheck } from '../config/definitions.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';

interface RequestParts {
  readonly definitions: Pick<Definitions, 'check'>;
  readonly registry: Registry;
  readonly clock: Clock;
  readonly log: Log;
  /** Sends a request to the agents of a subscription. */
  readonly publish: (subscription: string, check: CheckRequest) => void;
}

/** A run that somebody asks for. */
export interface RunOrder {
  readonly check: string;
  /** In place of those in the definition. */
  readonly subscribers?: readonly string[] | undefined;
  readonly apiRequested: ApiRequested;
}

/** Proxy clients that are asked about before others get their turn. */
const SLICE = 200;

/** Names in one log record. */
const NAMED_MAX = 10;

/** Asks agents to run checks, by the clock or on demand. */
export class CheckRequests {
  readonly #parts: RequestParts;

  constructor(parts: RequestParts) {
    this.#parts = parts;
  }

  /**
   * Asks for one run of a check now, standalone or not, whatever its schedule says. It settles when every request was
   * sent, which is no promise that anybody has got one.
   *
   * @throws MonError `not_found` when no check of this name is defined
   */
  async order(namespaceName: string, { check: name, subscribers, apiRequested }: RunOrder): Promise<void> {
    const check = this.#parts.definitions.check(name);
    if (check === undefined) throw new MonError('not_found', `no check ${name} is defined`);
    await this.publish(namespaceName, check, { subscribers, apiRequested });
  }

  /** Sends a check to its subscriptions: as it is, or once for each client that its `proxy_requests` match. */
  async publish(
    namespaceName: string,
    check: NamedCheck,
    by: Partial<Pick<RunOrder, 'subscribers' | 'apiRequested'>> = {},
  ): Promise<void> {
    const subscribers = by.subscribers ?? check.subscribers ?? [];
    const asked = { issued: Math.floor(this.#parts.clock.now() / 1000), apiRequested: by.apiRequested };
    if (check.proxy_requests === undefined) this.#send(subscribers, checkRequest(check, asked));
    else await this.#publishForProxies(namespaceName, check, subscribers, asked);
  }

  async #publishForProxies(
    namespaceName: string,
    check: NamedCheck,
    subscribers: readonly string[],
    asked: Asked,
  ): Promise<void> {
    const { registry, log } = this.#parts;
    const wanted = check.proxy_requests?.client_attributes ?? {};
    const expressions = expressionPaths(wanted);
    if (expressions.length > 0) {
      log.warn({ check: check.name, attributes: expressions }, 'expressions in client_attributes match no client yet');
      return;
    }
    const without: string[] = [];
    const missing = new Set<string>();
    const clients = registry.namespace(namespaceName).sortedClients();
    for (let start = 0; start < clients.length; start += SLICE) {
      if (start > 0) await nextTurn();
      for (const { record } of clients.slice(start, start + SLICE)) {
        if (!matchesAttributes(wanted, record)) continue;
        const made = proxyCheckRequest(check, record, asked);
        if ('request' in made) {
          this.#send(subscribers, made.request);
        } else {
          without.push(record.name);
          for (const path of made.unmatched) missing.add(path);
        }
      }
    }
    if (without.length === 0) return;
    log.warn(
      {
        check: check.name,
        unmatched_tokens: [...missing],
        clients: without.length,
        first_clients: without.slice(0, NAMED_MAX),
      },
      'proxy clients lack attributes that the tokens of the check name: nobody was asked about them',
    );
  }

  #send(subscribers: readonly string[], request: CheckRequest): void {
    for (const subscription of subscribers) this.#parts.publish(subscription, request);
  }
}
