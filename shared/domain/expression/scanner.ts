import { SyntaxProblem } from './syntax-problem.ts';

const SPACES = /[ \t\r\n]*/y;

/** A position in a source text that only moves forward and skips spaces. */
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

  /** The next character. */
  peek(): string | undefined {
    return this.source[this.#position];
  }

  sees(sign: string): boolean {
    return this.source.startsWith(sign, this.#position);
  }

  /** Moves past the sign if it is at the current position. */
  take(sign: string): boolean {
    if (!this.sees(sign)) return false;
    this.moveTo(this.#position + sign.length);
    return true;
  }

  /** @throws SyntaxProblem if the sign is not at the current position */
  expect(sign: string, meaning: string, position = this.#position): void {
    if (!this.take(sign)) this.fail(`"${sign}" is missing: ${meaning}`, position);
  }

  /** @param pattern a sticky one */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#position;
    const match = pattern.exec(this.source);
    if (match === null) return undefined;
    this.moveTo(pattern.lastIndex);
    return match;
  }

  moveTo(position: number): void {
    SPACES.lastIndex = position;
    SPACES.exec(this.source);
    this.#position = SPACES.lastIndex;
  }

  /** Returns the next characters for an error message. */
  ahead(): string {
    return this.source.slice(this.#position, this.#position + 20);
  }

  fail(message: string, position = this.#position): never {
    throw new SyntaxProblem(message, position);
  }
}
