import { ENTITY_LIMIT_REFUSAL, isBeyondLimit, isNearLimit } from '../../../../shared/domain/entity-limit.ts';
import { MonError } from '../../../../shared/errors.ts';
import type { EntityLimitSetting, EntityUsage } from '../../../../shared/schemas/entity-usage.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { Clock } from '../../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** Retention of the names of rejected entities in milliseconds, and the maximum number of retained names. */
const REFUSED_MS = 3_600_000;
const REFUSED_MAX = 100;

/**
 * The limit on the entities of all namespaces together. At the limit, agents, the v2 API and restores cannot create
 * more entities; existing entities remain (completion, Decisions). Clients that the v1 API creates are neither rejected
 * nor counted, until an agent of that name registers (completion 1.22).
 */
export class EntityLimit {
  /** Number of rejections since the start of the process; each retry of an agent adds one. */
  refusals = 0;
  readonly #registry: Registry;
  readonly #setting: () => EntityLimitSetting;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** Time of the last rejection of each name, by the monotonic clock; the latest rejection is the last entry. */
  readonly #refusedAtMs = new Map<string, number>();

  /**
   * @param setting callback that returns the limit; it is called each time, because a reload of the configuration can
   *   change the limit
   * @param clock monotonic clock; by default, the clock of the process
   */
  constructor(
    registry: Registry,
    setting: () => EntityLimitSetting,
    clock: Pick<Clock, 'monotonic'> = { monotonic: () => performance.now() },
  ) {
    this.#registry = registry;
    this.#setting = setting;
    this.#clock = clock;
  }

  /**
   * Returns the names of entities that were rejected in the last hour, the latest last. A name has its namespace and a
   * slash in front, unless the namespace is `default`.
   */
  refusedNames(): readonly string[] {
    const sinceMs = this.#clock.monotonic() - REFUSED_MS;
    for (const [name, atMs] of this.#refusedAtMs) {
      if (atMs <= sinceMs) this.#refusedAtMs.delete(name);
    }
    return [...this.#refusedAtMs.keys()];
  }

  usage(): EntityUsage {
    let total = 0;
    let proxies = 0;
    for (const namespace of this.#registry.namespaces()) {
      total += namespace.counted.total;
      proxies += namespace.counted.proxies;
    }
    return { total, proxies, limit: this.#setting() };
  }

  /** Returns the usage if it is so near the limit that operators must be warned; otherwise undefined. */
  nearLimit(): EntityUsage | undefined {
    const usage = this.usage();
    return isNearLimit(usage) ? usage : undefined;
  }

  /** Returns true and records a rejection if the client does not exist and would exceed the limit; false otherwise. */
  refuses(namespace: string, client: string): boolean {
    if (this.#registry.namespace(namespace).clients.has(client) || !isBeyondLimit(this.usage())) return false;
    this.#noteRefusal(namespace === DEFAULT_NAMESPACE ? client : `${namespace}/${client}`);
    return true;
  }

  /**
   * Rejects a client that does not exist and would exceed the limit. Call it within the transaction that creates the
   * client, so that no other client is created in between.
   *
   * @throws MonError `payment_required` if the client is rejected
   */
  refuseBeyond(namespace: string, client: string): void {
    if (this.refuses(namespace, client)) throw new MonError('payment_required', ENTITY_LIMIT_REFUSAL);
  }
  #noteRefusal(name: string): void {
    this.refusals++;
    this.#refusedAtMs.delete(name);
    this.#refusedAtMs.set(name, this.#clock.monotonic());
    if (this.#refusedAtMs.size <= REFUSED_MAX) return;
    const { value: oldest } = this.#refusedAtMs.keys().next();
    if (oldest !== undefined) this.#refusedAtMs.delete(oldest);
  }
}
