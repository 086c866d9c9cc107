/** Why a text cannot be read. */
export interface ExpressionProblem {
  readonly kind: 'problem';
  /** What is wrong and what to write instead. */
  readonly message: string;
  /** Where in the text, in UTF-16 units from 0. */
  readonly position: number;
}

/** Leaves a parser from any depth; whoever calls one takes it from `parsed`. */
export class SyntaxProblem extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.position = position;
  }
}

/** The result of a parser, or the problem that it left with. */
export function parsed<Result>(parse: () => Result): Result | ExpressionProblem {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxProblem) return { kind: 'problem', message: error.message, position: error.position };
    throw error;
  }
}
