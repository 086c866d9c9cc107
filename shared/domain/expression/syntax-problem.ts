/** A syntax error in the text of an expression, pattern or template. */
export interface ExpressionProblem {
  readonly kind: 'problem';
  /** Error message that says what to write instead. */
  readonly message: string;
  /** Position in the text, in UTF-16 units from 0. */
  readonly position: number;
}

/**
 * The error that parsers throw for invalid text; `catchSyntaxProblem` catches it and returns it as an
 * `ExpressionProblem`.
 */
export class SyntaxProblem extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** Calls a parser and returns its result, or the syntax error that it threw. Other errors are thrown again. */
export function catchSyntaxProblem<Result>(parse: () => Result): Result | ExpressionProblem {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxProblem) return { kind: 'problem', message: error.message, position: error.position };
    throw error;
  }
}
