/**
 * Deduplicates texts that occur often, such as the names of checks, which are the same on many clients. Each text is
 * copied, because a text that is a part of a key would keep the whole key in memory.
 */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  share(text: string): string {
    let shared = this.#texts.get(text);
    if (shared === undefined) {
      shared = Buffer.from(text).toString();
      this.#texts.set(shared, shared);
    }
    return shared;
  }
}
