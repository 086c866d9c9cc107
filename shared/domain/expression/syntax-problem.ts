/** A syntax error in a text. */
export interface ExpressionProblem {
  readonly kind: 'problem';
  /** Error message with what to write instead. */
  readonly message: string;
  /** Position in the text, in UTF-16 units from 0. */
  readonly position: number;
}

/** The error that a parser throws at any depth; callers use `parsed` to catch it. */
export class SyntaxProblem extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** Returns the result of a parser, or the problem that it threw. */
export function parsed<Result>(parse: () => Result): Result | ExpressionProblem {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxProblem) return { kind: 'problem', message: error.message, position: error.position };
    throw error;
  }
}
