import type { V2EventFilter } from '../../../../shared/domain/v2/filter.ts';
import { parseFilter, type EventFilter } from '../../../../shared/domain/filter-event.ts';
import type { HandlingDefinitions } from '../../../../shared/domain/notify/route.ts';
import { handlerOfWorkflow, type PipelineDefinition } from '../../../../shared/domain/v2/pipeline.ts';
import { parseInhibitionRule, type InhibitionRule } from '../../../../shared/domain/notify/inhibition-rule.ts';
import type { CheckDefinition } from '../../../../shared/schemas/check.ts';
import { KEEPALIVE_THRESHOLDS } from '../../../../shared/schemas/keepalive.ts';
import type { FilterDefinition } from '../../../../shared/schemas/filter.ts';
import type { HandlerDefinition } from '../../../../shared/schemas/handler.ts';
import type { V2Check } from '../../../../shared/schemas/v2/check.ts';
import type { V2Asset } from '../../../../shared/schemas/v2/asset.ts';
import type { V2Hook } from '../../../../shared/schemas/v2/hook.ts';
import type { MutatorDefinition } from '../../../../shared/schemas/mutator.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import type { KeepaliveSettings } from '../../../../shared/schemas/settings.ts';
import type { ValidDefinitions } from './valid-definitions.ts';
import { OnCallDirectory } from '../on-call/directory.ts';
import { StoredDefinitions, type DefinitionKind, type DefinitionKinds } from '../definitions/state.ts';

/**
 * A definition with its name as the last attribute. The API shows it and results inherit it in this form (legacy-peer,
 * Checks).
 */
export type NamedCheck = CheckDefinition & { readonly name: string };

/**
 * The sections of the configuration with definitions. By default they are empty, with the keepalive thresholds of
 * Sensu.
 */
type DefinitionSections = Pick<ValidDefinitions, 'checks' | 'handlers'> & Partial<ValidDefinitions>;

/**
 * The current definitions of a namespace. Call the functions for each use and do not cache their results, because
 * definitions can change.
 */
export interface NamespaceDefinitions extends HandlingDefinitions {
  check(name: string): NamedCheck | undefined;
  checks(): Iterable<NamedCheck>;
  hasHandler(name: string): boolean;
  /** Returns a handler by its name. It is possibly the handler that stands for a workflow of a pipeline. */
  handler(name: string): HandlerDefinition | undefined;
  handlers(): Iterable<readonly [name: string, handler: HandlerDefinition]>;
  filter(name: string): EventFilter | V2EventFilter | undefined;
  mutator(name: string): MutatorDefinition | undefined;
  pipeline(name: string): PipelineDefinition | undefined;
  hook(name: string): V2Hook | undefined;
  asset(name: string): V2Asset | undefined;
  /** Returns a check that was stored over the v2 API, as it was sent; undefined if the configuration overrides it. */
  storedCheck(name: string): V2Check | undefined;
}

/** The definitions in the configuration files, by kind. */
interface ConfiguredDefinitions {
  readonly checks: ReadonlyMap<string, NamedCheck>;
  readonly handlers: ReadonlyMap<string, HandlerDefinition>;
  readonly filters: ReadonlyMap<string, FilterDefinition>;
  readonly mutators: ReadonlyMap<string, MutatorDefinition>;
  /** Kinds of definitions that the configuration files cannot contain. */
  readonly hooks: ReadonlyMap<string, never>;
  readonly assets: ReadonlyMap<string, never>;
  readonly pipelines: ReadonlyMap<string, never>;
  readonly roles: ReadonlyMap<string, never>;
  readonly rolebindings: ReadonlyMap<string, never>;
  readonly clusterroles: ReadonlyMap<string, never>;
  readonly clusterrolebindings: ReadonlyMap<string, never>;
}

/**
 * The current definitions: those in the configuration files, which are in the namespace `default`, and those that were
 * stored over the API. If both have the same name, the configuration overrides the API. A reload replaces all
 * configured definitions at once.
 */
export class Definitions {
  /** The schedules and people, which are only in the configuration files. */
  readonly onCall = new OnCallDirectory();
  readonly #stored: StoredDefinitions;
  /** One object for each namespace that was ever requested. */
  readonly #views = new Map<string, NamespaceDefinitions>();
  #configured: ConfiguredDefinitions = NO_DEFINITIONS;
  #filters: ReadonlyMap<string, EventFilter> = new Map();
  #replacements = 0;
  #notifiedGeneration = 0;
  #keepalives: KeepaliveSettings = { thresholds: KEEPALIVE_THRESHOLDS };
  #inhibitions: readonly InhibitionRule[] = [];
  readonly #listeners = new Set<() => void>();

  constructor(sections: DefinitionSections, stored = new StoredDefinitions()) {
    this.#stored = stored;
    this.replace(sections);
  }

  /** A number that grows with each change of definitions. Data that was derived under a lower number is outdated. */
  get generation(): number {
    return this.#replacements + this.#stored.generation;
  }

  inNamespace(namespace: string): NamespaceDefinitions {
    let view = this.#views.get(namespace);
    if (view === undefined) {
      view = addWorkflowHandlers(
        namespace === DEFAULT_NAMESPACE ? this.#inDefault() : storedDefinitionsIn(this.#stored, namespace),
      );
      this.#views.set(namespace, view);
    }
    return view;
  }

  /** The default attributes of keepalive results; a client can override them. */
  get keepalives(): KeepaliveSettings {
    return this.#keepalives;
  }

  /** The inhibition rules. Each rule inhibits events only within the namespace of their source event. */
  get inhibitions(): readonly InhibitionRule[] {
    return this.#inhibitions;
  }

  /** True if the check with this name was stored over the v2 API, and the configuration does not override it. */
  isStoredCheck(namespace: string, name: string): boolean {
    if (namespace === DEFAULT_NAMESPACE && this.#configured.checks.has(name)) return false;
    return this.#stored.get('checks', namespace, name) !== undefined;
  }

  /** True if the definition with this name is from the configuration files and not from the API. */
  isConfigured(kind: DefinitionKind, namespace: string, name: string): boolean {
    return namespace === DEFAULT_NAMESPACE && this.#configured[kind].has(name);
  }

  /** Returns the definitions of a kind in the configuration files; they are all in the namespace `default`. */
  configured<Kind extends DefinitionKind>(kind: Kind): ConfiguredDefinitions[Kind] {
    return this.#configured[kind];
  }

  replace(sections: DefinitionSections): void {
    const { checks, handlers, filters, mutators, inhibitions, keepalives, people, schedules } = sections;
    this.#configured = {
      ...NO_DEFINITIONS,
      checks: new Map([...checks].map(([name, check]) => [name, { ...check, name }])),
      handlers,
      filters: filters ?? new Map(),
      mutators: mutators ?? new Map(),
    };
    this.#filters = new Map([...(filters ?? [])].map(([name, filter]) => [name, parseConfiguredFilter(name, filter)]));
    this.#keepalives = keepalives ?? { thresholds: KEEPALIVE_THRESHOLDS };
    this.#inhibitions = [...(inhibitions ?? [])].flatMap(([name, definition]) => {
      const rule = parseInhibitionRule(name, definition);
      return 'source' in rule ? [rule] : [];
    });
    this.onCall.replace(schedules, people);
    this.#replacements++;
    this.noteStored();
  }

  /** Notifies the listeners if stored definitions have changed. Called after each commit. */
  noteStored(): void {
    const { generation } = this;
    if (generation === this.#notifiedGeneration) return;
    this.#notifiedGeneration = generation;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each change of definitions. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }

  #inDefault(): NamespaceDefinitions {
    const stored = storedDefinitionsIn(this.#stored, DEFAULT_NAMESPACE);
    const configured = (): ConfiguredDefinitions => this.#configured;
    return {
      check: (name) => configured().checks.get(name) ?? stored.check(name),
      checks: () => {
        const { checks } = configured();
        return [...checks.values(), ...[...stored.checks()].filter(({ name }) => !checks.has(name))];
      },
      hasHandler: (name) => configured().handlers.has(name) || stored.hasHandler(name),
      handler: (name) => configured().handlers.get(name) ?? stored.handler(name),
      handlers: () => new Map([...stored.handlers(), ...configured().handlers]),
      filter: (name) => this.#filters.get(name) ?? stored.filter(name),
      mutator: (name) => configured().mutators.get(name) ?? stored.mutator(name),
      onCall: (schedule) => this.onCall.target(schedule),
      pipeline: (name) => stored.pipeline(name),
      hook: (name) => stored.hook(name),
      asset: (name) => stored.asset(name),
      storedCheck: (name) => (configured().checks.has(name) ? undefined : stored.storedCheck(name)),
    };
  }
}

const NO_DEFINITIONS: ConfiguredDefinitions = {
  checks: new Map(),
  handlers: new Map(),
  filters: new Map(),
  mutators: new Map(),
  hooks: new Map<string, never>(),
  assets: new Map<string, never>(),
  pipelines: new Map<string, never>(),
  roles: new Map<string, never>(),
  rolebindings: new Map<string, never>(),
  clusterroles: new Map<string, never>(),
  clusterrolebindings: new Map<string, never>(),
};

function storedDefinitionsIn(stored: StoredDefinitions, namespace: string): NamespaceDefinitions {
  function* all<Kind extends DefinitionKind>(kind: Kind): Generator<DefinitionKinds[Kind]> {
    yield* stored.inNamespace(kind, namespace).values();
  }
  return {
    check: (name) => stored.get('checks', namespace, name)?.definition,
    checks: () => [...all('checks')].map(({ definition }) => definition),
    hasHandler: (name) => stored.get('handlers', namespace, name) !== undefined,
    handler: (name) => stored.get('handlers', namespace, name)?.definition,
    handlers: () => [...all('handlers')].map(({ object, definition }) => [object.metadata.name, definition] as const),
    filter: (name) => stored.get('filters', namespace, name)?.definition,
    mutator: (name) => stored.get('mutators', namespace, name)?.definition,
    pipeline: (name) => stored.get('pipelines', namespace, name)?.definition,
    hook: (name) => stored.get('hooks', namespace, name)?.definition,
    asset: (name) => stored.get('assets', namespace, name)?.definition,
    storedCheck: (name) => stored.get('checks', namespace, name)?.object,
  };
}

/** Returns the definitions, with additional handlers that stand for the workflows of pipelines. */
function addWorkflowHandlers(definitions: NamespaceDefinitions): NamespaceDefinitions {
  return { ...definitions, handler: (name) => definitions.handler(name) ?? handlerOfWorkflow(name, definitions) };
}

function parseConfiguredFilter(name: string, definition: FilterDefinition): EventFilter {
  const filter = parseFilter(definition);
  // The configuration was validated when it was read, so this does not happen.
  if (filter.kind === 'problems') throw new Error(`internal error: the filter ${name} was not validated`);
  return filter;
}
