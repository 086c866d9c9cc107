/** Output and input of a command in screen-reader mode. Both methods take one line without control characters. */
export interface LinePrompt {
  say(text: string): void;
  /**
   * Prints a question and waits for the typed answer.
   *
   * @returns `undefined` when the input ends before an answer
   */
  ask(question: string): Promise<string | undefined>;
}
