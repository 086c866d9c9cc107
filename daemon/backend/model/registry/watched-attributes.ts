import {
  isLabelAttribute,
  labelAttributeTexts,
  visibleLabels,
  type VisibleLabels,
} from '../../../../shared/domain/alert-labels.ts';
import { attributeTexts } from '../../../../shared/domain/selector.ts';

/**
 * The attributes of one client or check that selectors of silences use. Clients or checks with equal attributes share
 * one object.
 */
export interface SelectorAttributes {
  /** Version of the list of attribute names when the attributes were read. */
  readonly version: number;
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Maximum number of different `SelectorAttributes` objects that are cached for sharing. */
const SHARED_MAX = 10_000;

/**
 * Reads the attributes that selectors of silences use from the clients, or from the checks, of one namespace. Other
 * attributes are not in memory.
 */
export class WatchedAttributes {
  /** True if all clients or checks were read since the list of names last changed. */
  isLoaded = true;
  #version = 0;
  #names: readonly string[] = [];
  readonly #hasNoClients: () => boolean;
  readonly #shared = new Map<string, SelectorAttributes>();

  /** @param hasNoClients returns true if the namespace has no client whose attributes must be read */
  constructor(hasNoClients: () => boolean) {
    this.#hasNoClients = hasNoClients;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Adds attribute names to the list. `SelectorAttributes` that were read before lack the added attributes. */
  watch(names: readonly string[]): void {
    const more = names.filter((name) => !this.#names.includes(name));
    if (more.length > 0) this.replace([...this.#names, ...more]);
  }

  /** Replaces the list of attribute names. */
  replace(names: readonly string[]): void {
    this.#names = names;
    this.#version++;
    this.#shared.clear();
    this.isLoaded = names.length === 0 || this.#hasNoClients();
  }

  /** True if `facts` contains all attributes that selectors use now. */
  isCovered(facts: SelectorAttributes | undefined): boolean {
    return this.isEmpty || facts?.version === this.#version;
  }

  /**
   * Reads the attributes that selectors use from one client or check.
   *
   * @param record the record of the client, or the check of a result
   * @param hidden keys whose values must not be revealed
   * @param labelled the record that labels are read from; by default `record`
   * @returns undefined if selectors use no attributes
   */
  read(record: unknown, hidden: ReadonlySet<string>, labelled = record): SelectorAttributes | undefined {
    if (this.isEmpty) return undefined;
    let labels: VisibleLabels | undefined;
    const texts = this.#names.map((name) =>
      isLabelAttribute(name)
        ? labelAttributeTexts((labels ??= visibleLabels(labelled, hidden)), name)
        : attributeTexts(record, name, hidden),
    );
    const key = JSON.stringify(texts);
    let facts = this.#shared.get(key);
    if (facts === undefined) {
      facts = { version: this.#version, texts: new Map(this.#names.map((name, at) => [name, texts[at] ?? []])) };
      if (this.#shared.size >= SHARED_MAX) this.#shared.clear();
      this.#shared.set(key, facts);
    }
    return facts;
  }
}
