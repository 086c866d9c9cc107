import { ENTITY_LIMIT_REFUSAL, isBeyondLimit, isNearLimit } from '../../../shared/domain/entity-limit.ts';
import { MonError } from '../../../shared/errors.ts';
import type { EntityLimitSetting, EntityUsage } from '../../../shared/schemas/entity-usage.ts';
import type { Registry } from '../registry/registry.ts';

/**
 * How many entities there may be in all namespaces together: those that agents, version 2 or a restore would make
 * beyond it are refused, and the ones that are there go on (completion, Decisions). What version 1 makes is neither
 * refused nor counted, until an agent of its name registers (completion 1.22).
 */
export class EntityLimit {
  readonly #registry: Registry;
  readonly #setting: () => EntityLimitSetting;

  /** @param setting asked each time, because a reload changes it */
  constructor(registry: Registry, setting: () => EntityLimitSetting) {
    this.#registry = registry;
    this.#setting = setting;
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

  /** The usage when people should hear of it. */
  nearLimit(): EntityUsage | undefined {
    const usage = this.usage();
    return isNearLimit(usage) ? usage : undefined;
  }

  /** Whether a client of this name would be new, and one too many. */
  refuses(namespace: string, client: string): boolean {
    return !this.#registry.namespace(namespace).clients.has(client) && isBeyondLimit(this.usage());
  }

  /**
   * To be asked within the transaction that makes the client, so that no other takes its place meanwhile.
   *
   * @throws MonError `payment_required`
   */
  refuseBeyond(namespace: string, client: string): void {
    if (this.refuses(namespace, client)) throw new MonError('payment_required', ENTITY_LIMIT_REFUSAL);
  }
}
