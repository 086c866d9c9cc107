import { SyntaxProblem } from './syntax-problem.ts';

const SPACES_TOKEN = /[ \t\r\n]*/y;

/** A source text and the position up to which it is parsed. After every move, spaces are skipped. */
export class Scanner {
  readonly source: string;
  #position = 0;

  constructor(source: string) {
    this.source = source;
    this.moveTo(0);
  }

  get position(): number {
    return this.#position;
  }

  get isAtEnd(): boolean {
    return this.#position >= this.source.length;
  }

  /** The next character; undefined at the end of the text. */
  peek(): string | undefined {
    return this.source[this.#position];
  }

  sees(sign: string): boolean {
    return this.source.startsWith(sign, this.#position);
  }

  /** Moves past an operator or bracket if it is at the current position. Returns whether it was there. */
  accept(sign: string): boolean {
    if (!this.sees(sign)) return false;
    this.moveTo(this.#position + sign.length);
    return true;
  }

  /**
   * Moves past an operator or bracket that must be at the current position.
   *
   * @throws SyntaxProblem if it is not there
   */
  expect(sign: string, meaning: string, position = this.#position): void {
    if (!this.accept(sign)) this.fail(`"${sign}" is missing: ${meaning}`, position);
  }

  /**
   * Moves past a match of the pattern at the current position and returns the match; undefined if there is none.
   *
   * @param pattern regular expression with the sticky flag `y`
   */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.source);
    if (match === null) return undefined;
    this.moveTo(pattern.lastIndex);
    return match;
  }

  moveTo(position: number): void {
    SPACES_TOKEN.lastIndex = position;
    SPACES_TOKEN.exec(this.source);
    this.#position = SPACES_TOKEN.lastIndex;
  }

  /** Returns the next 20 characters, for an error message. */
  ahead(): string {
    return this.source.slice(this.#position, this.#position + 20);
  }

  fail(message: string, position = this.#position): never {
    throw new SyntaxProblem(message, position);
  }
}
