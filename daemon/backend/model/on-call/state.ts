import type { OverrideSpan } from '../../../../shared/domain/on-call/on-call-at.ts';
import type { OnCallOverride } from '../../../../shared/schemas/on-call.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { Footprint } from '../registry/footprint.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';

const OVERRIDE_BYTES = 400;

/** Number of seconds for which an override is retained after its end. */
const OVERRIDE_RETENTION_SECONDS = 30 * 86_400;

/** True if an override ended so long ago that it is no longer retained. */
export function isOutdatedOverride({ until }: OnCallOverride, now: number): boolean {
  return until + OVERRIDE_RETENTION_SECONDS < now;
}

/** The overrides of all schedules. They are in the namespace `default`, as the schedules are. */
class OverrideRegistry {
  readonly #byId = new Map<string, OnCallOverride>();
  readonly #footprint: Footprint;
  /** The overrides of each schedule in the order of their creation; cleared when an override changes. */
  readonly #spans = new Map<string, readonly OverrideSpan[]>();

  constructor(footprint: Footprint) {
    this.#footprint = footprint;
  }

  get size(): number {
    return this.#byId.size;
  }

  get(id: string): OnCallOverride | undefined {
    return this.#byId.get(id);
  }

  /** Returns all overrides, or those of one schedule, in the order of their creation. */
  sorted(schedule?: string): readonly OnCallOverride[] {
    return [...this.#byId.values()]
      .filter((override) => schedule === undefined || override.schedule === schedule)
      .toSorted((a, b) => a.created_at - b.created_at || (a.id < b.id ? -1 : 1));
  }

  /** Returns the spans of the overrides of a schedule: the same array until an override changes. */
  spansOf(schedule: string): readonly OverrideSpan[] {
    let spans = this.#spans.get(schedule);
    if (spans === undefined) {
      spans = this.sorted(schedule).map(({ id, person, from, until }) => ({
        id,
        person,
        fromMs: from * 1000,
        untilMs: until * 1000,
      }));
      this.#spans.set(schedule, spans);
    }
    return spans;
  }

  put(override: OnCallOverride): void {
    if (!this.#byId.has(override.id)) this.#footprint.bytes += OVERRIDE_BYTES;
    this.#byId.set(override.id, override);
    this.#spans.clear();
  }

  remove(id: string): void {
    if (this.#byId.delete(id)) this.#footprint.bytes -= OVERRIDE_BYTES;
    this.#spans.clear();
  }
}

const openOverrides = (footprint: Footprint): OverrideRegistry => new OverrideRegistry(footprint);

export function overridesIn(namespace: Namespace): OverrideRegistry {
  return namespace.state(openOverrides);
}

/** Returns the overrides of all schedules. Call it for each use, because the registry can be loaded again. */
export function overridesOf(registry: Pick<Registry, 'namespace'>): OverrideRegistry {
  return overridesIn(registry.namespace(DEFAULT_NAMESPACE));
}
