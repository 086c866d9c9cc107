/** A small change of the code that removes a defence, and the test that must detect it. */
export interface Mutant {
  /** The removed defence. */
  readonly defence: string;
  readonly file: string;
  /** A text that occurs once in the file; a unique part of the defence is sufficient. */
  readonly text: string;
  readonly replacement: string;
  /** The file of the test that must fail. */
  readonly test: string;
  /** Only tests with matching titles run, if the other tests of the file take long. */
  readonly title?: string;
}
