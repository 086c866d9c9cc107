import {
  isLabelAttribute,
  labelAttributeTexts,
  visibleLabels,
  type VisibleLabels,
} from '../../../shared/domain/alert-labels.ts';
import { attributeTexts } from '../../../shared/domain/selector.ts';

/** The watched attributes of one client or check. Shared by all that have the same. */
export interface Facts {
  /** Of the names that were watched when they were read. */
  readonly version: number;
  readonly texts: ReadonlyMap<string, readonly string[]>;
}

/** Different facts that are kept to be shared. */
const SHARED_MAX = 10_000;

/** The attributes of clients, or of checks, of one namespace that selectors ask for: only these are in memory. */
export class WatchedAttributes {
  /** Whether all that is here was read since the last name came. */
  isLearned = true;
  #version = 0;
  #names: readonly string[] = [];
  readonly #isNobodyHere: () => boolean;
  readonly #shared = new Map<string, Facts>();

  /** @param isNobodyHere whether there is nothing yet to read them of */
  constructor(isNobodyHere: () => boolean) {
    this.#isNobodyHere = isNobodyHere;
  }

  get isEmpty(): boolean {
    return this.#names.length === 0;
  }

  get names(): readonly string[] {
    return this.#names;
  }

  /** Has these read as well from now on. What was read before knows nothing of new ones. */
  watch(names: readonly string[]): void {
    const more = names.filter((name) => !this.#names.includes(name));
    if (more.length > 0) this.replace([...this.#names, ...more]);
  }

  /** Has these read, and no others. */
  replace(names: readonly string[]): void {
    this.#names = names;
    this.#version++;
    this.#shared.clear();
    this.isLearned = names.length === 0 || this.#isNobodyHere();
  }

  /** Whether these say all that is watched. */
  isCovered(facts: Facts | undefined): boolean {
    return this.isEmpty || facts?.version === this.#version;
  }

  /**
   * @param record of the client, or the check part of a result
   * @param hidden keys of which nothing may be told
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
