/** Each text once: the checks of all clients have few names. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const shared = flat(text);
    this.#texts.set(shared, shared);
    return shared;
  }
}

/** A copy: a part of a key would keep all of it in memory. */
export function flat(text: string): string {
  return Buffer.from(text).toString();
}
