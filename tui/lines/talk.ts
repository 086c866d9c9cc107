/** The two ways to talk to the person. Both take one line that is safe for a terminal. */
export interface Talk {
  say(text: string): void;
  /** @returns `undefined` when the input ended instead of an answer */
  ask(question: string): Promise<string | undefined>;
}
