import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';

/** The namespaces that exist. Only transactions change them. */
export class DeclaredNamespaces {
  #names: ReadonlySet<string> = new Set([DEFAULT_NAMESPACE]);

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Returns the names, sorted. */
  names(): readonly string[] {
    return [...this.#names].toSorted();
  }

  add(name: string): void {
    this.#names = new Set([...this.#names, name]);
  }

  /** Removes a name; `default` is never removed. */
  remove(name: string): void {
    this.#names = new Set([...this.#names].filter((other) => other !== name || other === DEFAULT_NAMESPACE));
  }

  /** Replaces all names. */
  load(names: Iterable<string>): void {
    this.#names = new Set([DEFAULT_NAMESPACE, ...names]);
  }
}
