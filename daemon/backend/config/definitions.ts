import { parseFilter, type EventFilter } from '../../../shared/domain/filter-event.ts';
import type { CheckDefinition } from '../../../shared/schemas/check.ts';
import { KEEPALIVE_THRESHOLDS } from '../../../shared/schemas/client.ts';
import type { FilterDefinition } from '../../../shared/schemas/filter.ts';
import type { HandlerDefinition } from '../../../shared/schemas/handler.ts';
import type { MutatorDefinition } from '../../../shared/schemas/mutator.ts';
import type { KeepaliveSettings } from '../../../shared/schemas/settings.ts';

/** A definition with its name as the last attribute, as the API shows it and results inherit it (legacy-peer, Checks). */
export type NamedCheck = CheckDefinition & { readonly name: string };

interface DefinitionSections {
  readonly checks: ReadonlyMap<string, CheckDefinition>;
  readonly handlers: ReadonlyMap<string, HandlerDefinition>;
  /** Default: none. */
  readonly filters?: ReadonlyMap<string, FilterDefinition>;
  /** Default: none. */
  readonly mutators?: ReadonlyMap<string, MutatorDefinition>;
  /** Default: the thresholds of the peer, and nothing more. */
  readonly keepalives?: KeepaliveSettings;
}

/** The definitions in force. Ask again each time: a reload replaces all of them at once. */
export class Definitions {
  /** Grows with each replacement: what was worked out from the definitions before no longer counts. */
  generation = 0;
  #checks: ReadonlyMap<string, NamedCheck> = new Map();
  #handlers: ReadonlyMap<string, HandlerDefinition> = new Map();
  #filters: ReadonlyMap<string, EventFilter> = new Map();
  #mutators: ReadonlyMap<string, MutatorDefinition> = new Map();
  #keepalives: KeepaliveSettings = { thresholds: KEEPALIVE_THRESHOLDS };
  readonly #listeners = new Set<() => void>();

  constructor(sections: DefinitionSections) {
    this.replace(sections);
  }

  check(name: string): NamedCheck | undefined {
    return this.#checks.get(name);
  }

  checks(): Iterable<NamedCheck> {
    return this.#checks.values();
  }

  hasHandler(name: string): boolean {
    return this.#handlers.has(name);
  }

  handler(name: string): HandlerDefinition | undefined {
    return this.#handlers.get(name);
  }

  handlers(): Iterable<readonly [name: string, handler: HandlerDefinition]> {
    return this.#handlers;
  }

  filter(name: string): EventFilter | undefined {
    return this.#filters.get(name);
  }

  mutator(name: string): MutatorDefinition | undefined {
    return this.#mutators.get(name);
  }

  /** The attributes of keepalive results, beneath those of each client. */
  get keepalives(): KeepaliveSettings {
    return this.#keepalives;
  }

  replace({ checks, handlers, filters, mutators, keepalives }: DefinitionSections): void {
    this.#checks = new Map([...checks].map(([name, check]) => [name, { ...check, name }]));
    this.#handlers = handlers;
    this.#filters = new Map([...(filters ?? [])].map(([name, filter]) => [name, parsed(name, filter)]));
    this.#mutators = mutators ?? new Map();
    this.#keepalives = keepalives ?? { thresholds: KEEPALIVE_THRESHOLDS };
    this.generation++;
    for (const listener of this.#listeners) listener();
  }

  /** Calls `listener` after each replacement. */
  onChange(listener: () => void): Disposable {
    this.#listeners.add(listener);
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) };
  }
}

function parsed(name: string, definition: FilterDefinition): EventFilter {
  const filter = parseFilter(definition);
  // The configuration was checked when it was read.
  if (filter.kind === 'problems') throw new Error(`the filter ${name} was not validated`);
  return filter;
}
