import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';

/** The namespaces that there are. Only transactions change them. */
export class DeclaredNamespaces {
  #names: ReadonlySet<string> = new Set([DEFAULT_NAMESPACE]);

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** In the order of their names. */
  names(): readonly string[] {
    return [...this.#names].toSorted();
  }

  add(name: string): void {
    this.#names = new Set([...this.#names, name]);
  }

  /** `default` is always there. */
  remove(name: string): void {
    this.#names = new Set([...this.#names].filter((other) => other !== name || other === DEFAULT_NAMESPACE));
  }

  /** In place of all that are here. */
  load(names: Iterable<string>): void {
    this.#names = new Set([DEFAULT_NAMESPACE, ...names]);
  }
}
