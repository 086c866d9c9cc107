/** The output and input of the conversation. Both methods take one line that is safe for a terminal. */
export interface LinePrompt {
  say(text: string): void;
  /**
   * Asks a question.
   *
   * @returns `undefined` when the input ended instead of an answer
   */
  ask(question: string): Promise<string | undefined>;
}
