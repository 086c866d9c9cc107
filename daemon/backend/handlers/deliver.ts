import type { HandlerJob } from '../../../shared/schemas/handler-job.ts';
import type { RunningHandler } from '../../../shared/schemas/handler.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions } from '../config/definitions.ts';
import type { FeedHub } from '../feed/feed-hub.ts';
import type { Clients } from '../pipeline/clients.ts';
import type { Clock } from '../ports.ts';
import { failedForGood, type DeliveryOutcome } from './outcome.ts';

export type { DeliveryOutcome } from './outcome.ts';

export interface DeliveryParts {
  readonly definitions: Pick<Definitions, 'mutator'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Where transport handlers publish. */
  readonly feed: Pick<FeedHub, 'publish'>;
  /** Where `deregistration` removes from. */
  readonly clients: Pick<Clients, 'remove'>;
  /** The setting `handler-networks`: networks in CIDR notation that handlers may reach by name. Asked at each run. */
  readonly networks: () => readonly string[];
}

/** Runs handlers. Dispose of it to let go of the connections that are kept for webhooks. */
export class Delivery implements Disposable {
  readonly #parts: DeliveryParts;

  constructor(parts: DeliveryParts) {
    this.#parts = parts;
  }

  /**
   * Mutates and sends the event of a job. Never rejects; whatever happens is in the log already.
   *
   * @param handler the definition in force; undefined: the built-in handler of that name
   * @param attempt 1 for the first try
   * @param signal aborted when the backend cannot wait any longer; the outcome then means nothing
   */
  async deliver(
    job: HandlerJob,
    handler: RunningHandler | undefined,
    attempt: number,
    signal: AbortSignal,
  ): Promise<DeliveryOutcome> {
    void [this.#parts, handler, attempt, signal];
    return await Promise.resolve(failedForGood(`${job.handler} cannot be run yet`));
  }

  [Symbol.dispose](): void {
    // Nothing is held yet.
  }
}
