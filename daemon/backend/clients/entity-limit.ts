import { ENTITY_LIMIT_REFUSAL, isBeyondLimit, isNearLimit } from '../../../shared/domain/entity-limit.ts';
import { MonError } from '../../../shared/errors.ts';
import type { EntityLimitSetting, EntityUsage } from '../../../shared/schemas/entity-usage.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Clock } from '../ports.ts';
import type { Registry } from '../registry/registry.ts';

/** How long refused names are remembered, and how many. */
const REFUSED_MS = 3_600_000;
const REFUSED_MAX = 100;

/**
 * How many entities there may be in all namespaces together: those that agents, version 2 or a restore would make
 * beyond it are refused, and the ones that are there go on (completion, Decisions). What version 1 makes is neither
 * refused nor counted, until an agent of its name registers (completion 1.22).
 */
export class EntityLimit {
  /** How often an entity was refused since the start: an agent that tries again counts again. */
  refusals = 0;
  readonly #registry: Registry;
  readonly #setting: () => EntityLimitSetting;
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** When each was refused last, by the monotonic clock; the latest refusal is the last one. */
  readonly #refusedAtMs = new Map<string, number>();

  /**
   * @param setting asked each time, because a reload changes it
   * @param clock default: that of the process
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

  /** The names of entities that were refused in the last hour, with their namespace unless that is `default`. */
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

  /** The usage when people should hear of it. */
  nearLimit(): EntityUsage | undefined {
    const usage = this.usage();
    return isNearLimit(usage) ? usage : undefined;
  }

  /** Whether a client of this name would be new, and one too many: then the refusal is noted. */
  refuses(namespace: string, client: string): boolean {
    if (this.#registry.namespace(namespace).clients.has(client) || !isBeyondLimit(this.usage())) return false;
    this.#noteRefusal(namespace === DEFAULT_NAMESPACE ? client : `${namespace}/${client}`);
    return true;
  }

  /**
   * To be asked within the transaction that makes the client, so that no other takes its place meanwhile.
   *
   * @throws MonError `payment_required`
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
