/** Each text once, as a copy: a part of a key would keep all of it in memory, and the checks of all clients have few names. */
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
