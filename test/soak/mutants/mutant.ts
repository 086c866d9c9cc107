/** A defence taken out by a small change of the code, and the test that must not let that pass. */
export interface Mutant {
  /** What is no longer there. */
  readonly defence: string;
  readonly file: string;
  /** There once; a part of it is enough that says what it is. */
  readonly text: string;
  readonly replacement: string;
  /** The file of the test that must fail. */
  readonly test: string;
  /** Only tests whose titles match this, where the others of the file take long. */
  readonly title?: string;
}
