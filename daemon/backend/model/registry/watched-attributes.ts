import {
  isLabelAttribute,
  labelAttributeTexts,
  visibleLabels,
  type VisibleLabels,
} from '../../../../shared/domain/alert-labels.ts';
import { attributeTexts } from '../../../../shared/domain/selector.ts';

/** The watched attributes of one client or check. Objects with equal attributes share them. */
export interface Facts {
  /** Version of the watched names when they were read. */
  readonly version: number;
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Maximum number of different facts that are kept for sharing. */
const SHARED_MAX = 10_000;

/** The attributes of clients, or of checks, of one namespace that selectors use: only these are in memory. */
export class WatchedAttributes {
  /** True if all attributes were read since the last name was added. */
  isLoaded = true;
  #version = 0;
  #names: readonly string[] = [];
  readonly #hasNoClients: () => boolean;
  readonly #shared = new Map<string, Facts>();

  /** @param hasNoClients returns true if there is no client to read them from */
  constructor(hasNoClients: () => boolean) {
    this.#hasNoClients = hasNoClients;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Adds names to be read from now on. Attributes that were read before do not contain new ones. */
  watch(names: readonly string[]): void {
    const more = names.filter((name) => !this.#names.includes(name));
    if (more.length > 0) this.replace([...this.#names, ...more]);
  }

  /** Reads these names from now on, and no others. */
  replace(names: readonly string[]): void {
    this.#names = names;
    this.#version++;
    this.#shared.clear();
    this.isLoaded = names.length === 0 || this.#hasNoClients();
  }

  /** True if these facts contain all watched attributes. */
  isCovered(facts: Facts | undefined): boolean {
    return this.isEmpty || facts?.version === this.#version;
  }

  /**
   * @param record of the client, or the check part of a result
   * @param hidden keys whose values must not be revealed
   * @param labelled the record with the labels that are listed; default: the same
   * @returns undefined: nothing is watched
   */
  read(record: unknown, hidden: ReadonlySet<string>, labelled = record): Facts | undefined {
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
