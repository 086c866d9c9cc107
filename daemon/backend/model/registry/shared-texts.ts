/**
 * Deduplicates texts, such as the names of checks, of which all clients have the same few. Each text is copied, because
 * a text that is a part of a key would retain the whole key in memory.
 */
export class SharedTexts {
  readonly #texts = new Map<string, string>();

  of(text: string): string {
    let shared = this.#texts.get(text);
    if (shared === undefined) {
      shared = Buffer.from(text).toString();
      this.#texts.set(shared, shared);
    }
    return shared;
  }
}
