import { MonError } from '../../../shared/errors.ts';
import { EMPTY_HISTORY } from '../../../shared/domain/history.ts';
import { checkResultOf, clientOf } from '../../../shared/domain/result.ts';
import type { SubmittedResult } from '../../../shared/schemas/result.ts';
import type { Clock } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Definitions } from '../config/definitions.ts';
import type { Batcher, Command } from './batcher.ts';
import { frozenEvent, mayNeedBodies, processResult, type IncomingResult } from './process-result.ts';
import type { Transaction } from './transaction.ts';
import { validateResult } from './validate-result.ts';

/** Who results that come through the API are said to be from, unless they name a `source` (completion 1.6). */
export const API_REPORTER = 'sensu-api';

/** Results of one agent, in the order of their ids. */
export interface AgentResults {
  readonly client: string;
  readonly spool: string;
  readonly results: readonly UncheckedResult[];
  /** Whether to leave them out after all, asked when their turn comes. */
  readonly cancelled: AbortSignal;
}

/** A result as an agent frames it, its check not yet validated. */
export interface UncheckedResult {
  readonly id: number;
  readonly signature?: string | undefined;
  readonly check: unknown;
}

/** The ways in for check results. */
export class Results {
  readonly #batcher: Batcher;
  readonly #definitions: Definitions;
  readonly #clock: Clock;

  constructor(parts: { readonly batcher: Batcher; readonly definitions: Definitions; readonly clock: Clock }) {
    this.#batcher = parts.batcher;
    this.#definitions = parts.definitions;
    this.#clock = parts.clock;
  }

  /**
   * Stores results reported through the API and waits for their commit.
   *
   * @param results already validated, in order
   * @throws MonError `unavailable`
   */
  submit(namespaceName: string, results: readonly SubmittedResult[]): Promise<void> {
    const now = Math.floor(this.#clock.now() / 1000);
    const incoming = results.map((result) => this.#incoming(result, API_REPORTER, now, now));
    return this.record(namespaceName, incoming);
  }

  /**
   * Stores results that need nothing more: the backend's own, such as keepalives.
   *
   * @throws MonError `unavailable`
   */
  record(namespaceName: string, incoming: readonly IncomingResult[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#batcher.enqueue({
        weight: incoming.length,
        ...needsOf(namespaceName, incoming),
        apply: (transaction) => {
          const namespace = transaction.registry.namespace(namespaceName);
          for (const result of incoming) processResult(transaction, namespace, result);
        },
        settle: (error) => (error === undefined ? resolve() : reject(error)),
      });
    });
  }

  /**
   * Stores what an agent delivers; each id of a spool has one effect, however often it comes. Results that break a rule
   * are refused one by one and count as delivered.
   *
   * @param onRefused told at once
   * @param onSettled told after the commit
   * @throws MonError `unavailable` when the queue is full; nothing of it was taken
   */
  submitFromAgent(
    namespaceName: string,
    delivery: AgentResults,
    onRefused: (id: number, reason: string) => void,
    onSettled: (error: MonError | undefined) => void,
  ): void {
    const { client, spool, results, cancelled } = delivery;
    const now = Math.floor(this.#clock.now() / 1000);
    const incoming: IdentifiedResult[] = [];
    for (const { id, signature, check } of results) {
      try {
        const result = this.#incoming(validateResult(check), client, now, undefined);
        incoming.push({ id, signature: signature ?? '', result });
      } catch (error) {
        if (!(error instanceof MonError)) throw error;
        onRefused(id, error.message);
      }
    }
    const last = results.at(-1)?.id;
    this.#batcher.enqueue({
      weight: results.length,
      ...needsOf(
        namespaceName,
        incoming.map(({ result }) => result),
      ),
      apply: (transaction) => {
        if (cancelled.aborted) return;
        const namespace = transaction.registry.namespace(namespaceName);
        const mark = namespace.spools.get(client);
        const acked = mark?.spool === spool ? mark.acked : 0;
        for (const { id, signature, result } of incoming) {
          if (id > acked && isTrusted(namespace, result.client, signature, transaction.nowMs)) {
            processResult(transaction, namespace, result);
          }
        }
        if (last !== undefined && last > acked) transaction.saveSpool(namespace, client, { spool, acked: last });
      },
      settle: onSettled,
    });
  }

  /**
   * Removes the last result and the history of a check. Its event stays (completion 1.6).
   *
   * @throws MonError `not_found`
   */
  remove(namespaceName: string, client: string, check: string): Promise<void> {
    return this.#batcher.run(
      (transaction) => removeResult(transaction, transaction.registry.namespace(namespaceName), client, check),
      (registry) => present(registry.namespace(namespaceName).check(client, check)),
    );
  }

  #incoming(submitted: SubmittedResult, reporter: string, now: number, issued: number | undefined): IncomingResult {
    const definition = this.#definitions.check(submitted.name);
    return {
      client: clientOf(submitted, reporter),
      reporter,
      check: checkResultOf(submitted, { reporter, definition, now, issued }),
    };
  }
}

interface IdentifiedResult {
  readonly id: number;
  readonly signature: string;
  readonly result: IncomingResult;
}

/** What a command must ask for to process these results: nothing, for nearly all of them. */
function needsOf(namespaceName: string, results: readonly IncomingResult[]): Pick<Command, 'needs'> {
  if (!results.some(mayNeedBodies)) return {};
  const keeping = results.filter(mayNeedBodies);
  return {
    needs: (registry) => {
      const namespace = registry.namespace(namespaceName);
      return keeping.flatMap(({ client, check }) => present(namespace.check(client, check.name)));
    },
  };
}

/** Whether a client may speak: it carries its signature, and was not deleted with a ban (completion 1.10). */
export function isTrusted(namespace: Namespace, client: string, signature: string, nowMs: number): boolean {
  const known = namespace.clients.get(client)?.signature ?? '';
  return (known === '' || known === signature) && !isInvalidated(namespace, client, nowMs);
}

function isInvalidated(namespace: Namespace, client: string, nowMs: number): boolean {
  const untilMs = namespace.invalidated.get(client);
  return untilMs !== undefined && untilMs > nowMs;
}

function removeResult(transaction: Transaction, namespace: Namespace, client: string, check: string): void {
  const entry = namespace.check(client, check);
  if (entry?.status === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
  const { event } = entry.state;
  if (event === undefined) {
    transaction.removeCheck(entry);
    return;
  }
  const bodies = { check: null, ...frozenEvent(entry, transaction.bodies(entry)) };
  transaction.saveCheck(entry, { history: EMPTY_HISTORY, lastOk: null, event }, bodies, undefined);
}

function present<T>(value: T | undefined): T[] {
  return value === undefined ? [] : [value];
}
