import { SPOOL_CHECK, SPOOL_CHECK_INTERVAL, spoolCheckResult } from '../../../shared/domain/spool-check.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { spoolTroubleSchema, type SpoolTrouble } from '../../../shared/schemas/agent.ts';
import type { SubmittedClient } from '../../../shared/schemas/client.ts';
import type { AgentDependencies } from './agent-link.ts';

/**
 * Stores the spool state that an agent reports in `hello` and keepalives as results of the check `mon.spool` of its
 * client. So an event opens and resolves automatically. A client that never had a spool problem has no such check.
 */
export class SpoolEvent {
  readonly #dependencies: Pick<AgentDependencies, 'registry' | 'results' | 'clock' | 'log'>;
  #trouble: SpoolTrouble | undefined;
  /**
   * Time of the last submitted result on the monotonic clock; undefined if none was submitted on this connection, or
   * the last one failed.
   */
  #writtenAtMs: number | undefined;

  constructor(dependencies: Pick<AgentDependencies, 'registry' | 'results' | 'clock' | 'log'>) {
    this.#dependencies = dependencies;
  }

  /** True if the agent last reported that it cannot write its spool. */
  get isOpen(): boolean {
    return this.#trouble !== undefined;
  }

  /**
   * Submits a result of `mon.spool` if the state changed, and regularly while a problem lasts. The promise never
   * rejects.
   */
  async reportState(namespace: string, client: SubmittedClient): Promise<void> {
    const sent = client['spool'];
    this.#trouble = sent === undefined ? undefined : spoolTroubleSchema.safeParse(sent).data;
    const { status, output } = spoolCheckResult(this.#trouble);
    if (!this.#needsReport(namespace, client.name, status)) return;
    const { results, clock, log } = this.#dependencies;
    try {
      this.#writtenAtMs = clock.monotonic();
      await results.submitBackendResult(namespace, client.name, {
        name: SPOOL_CHECK,
        output,
        status,
        interval: SPOOL_CHECK_INTERVAL,
      });
    } catch (error) {
      // After a failure, the next keepalive submits the result again.
      this.#writtenAtMs = undefined;
      log.debug(
        { client: client.name, reason: errorMessage(error) },
        'could not store the result of the spool check, retrying soon',
      );
    }
  }

  #needsReport(namespace: string, client: string, status: number): boolean {
    const { registry, clock } = this.#dependencies;
    const stored = registry.namespace(namespace).check(client, SPOOL_CHECK)?.status ?? 0;
    if (status !== stored) return true;
    if (status === 0) return false;
    return this.#writtenAtMs === undefined || clock.monotonic() - this.#writtenAtMs >= SPOOL_CHECK_INTERVAL * 1000;
  }
}
