/**
 * Deduplicates texts, as copies: a part of a key would keep the whole key in memory, and the checks of all clients have
 * few names.
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
