import type { ObjectName, UpgradeFacts } from '../../schemas/plan.ts';

/** An object in a dump, as far as it is needed here: its type, metadata and spec. */
export interface DumpedObject {
  readonly type: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Maximum number of entities that are named: those that were last seen most recently. */
const NEWEST_MAX = 10;

const DEFAULT_NAMESPACE = 'default';

interface SeenEntity extends ObjectName {
  readonly lastSeen: number;
}

/**
 * Collects facts about an installation (input of the upgrade rules) from the objects of its dump, one by one. It
 * retains only counts, and the names of namespaces, checks and agents.
 */
export class DumpFacts {
  readonly #counts = new Map<string, number>();
  readonly #namespaces = new Set<string>();
  readonly #checks: ObjectName[] = [];
  readonly #agents: (ObjectName & { readonly version: string | null })[] = [];
  #newest: SeenEntity[] = [];

  add(object: DumpedObject): void {
    const { type } = object;
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    if (type === 'Namespace') this.#namespaces.add(textOf(object.spec['name']) ?? nameOf(object).name);
    else if (type === 'CheckConfig') this.#checks.push(nameOf(object));
    else if (type === 'Entity') this.#addEntity(object);
  }

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  /**
   * Returns the collected facts. If the dump contains no namespaces or no entities, it was limited to other types; then
   * the facts about them are absent, that is, unknown.
   *
   * @param limit maximum number of entities; null if there is no limit
   */
  facts(limit: number | null): Pick<UpgradeFacts, 'namespaces' | 'checks' | 'entities' | 'agents' | 'pipelines'> {
    const total = this.#counts.get('Entity');
    const newest = this.#newest.map(({ namespace, name }) => ({ namespace, name }));
    return {
      ...(this.#namespaces.size === 0 ? {} : { namespaces: [...this.#namespaces], checks: this.#checks }),
      ...(total === undefined ? {} : { entities: { total, newest, limit }, agents: this.#agents }),
      pipelines: this.#counts.get('Pipeline') ?? 0,
    };
  }

  #addEntity(object: DumpedObject): void {
    const { spec } = object;
    const entity = nameOf(object);
    if (spec['entity_class'] === 'agent') {
      this.#agents.push({ ...entity, version: textOf(spec['sensu_agent_version']) ?? null });
    }
    const lastSeen = typeof spec['last_seen'] === 'number' ? spec['last_seen'] : 0;
    const isFull = this.#newest.length === NEWEST_MAX;
    if (isFull && lastSeen <= (this.#newest.at(-1)?.lastSeen ?? 0)) return;
    this.#newest = [...this.#newest, { ...entity, lastSeen }].toSorted((a, b) => b.lastSeen - a.lastSeen);
    this.#newest.length = Math.min(this.#newest.length, NEWEST_MAX);
  }
}

function nameOf({ metadata }: DumpedObject): ObjectName {
  return { namespace: textOf(metadata['namespace']) ?? DEFAULT_NAMESPACE, name: textOf(metadata['name']) ?? '' };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
