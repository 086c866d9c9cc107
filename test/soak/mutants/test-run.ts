/** A request to run the tests of one file. */
export interface TestRun {
  /** The path of the file in the working tree. */
  readonly test: string;
  /** Only the tests whose titles match; undefined: all tests of the file. */
  readonly title?: string | undefined;
  /** The paths of the sources that were written since the last request. */
  readonly changed: readonly string[];
}

/** Numbers of passed and failed tests. */
export interface Verdict {
  readonly passed: number;
  readonly failed: number;
}
