import { Pattern } from './pattern.ts';
import { Scanner } from './scanner.ts';
import type { BinarySign, ScriptNode } from './script-tree.ts';

const SOURCE_LENGTH_MAX = 4096;
const NODES_MAX = 500;
const DEPTH_MAX = 32;

const NAME_TOKEN = /[A-Za-z_$][\w$]*/y;
const NUMBER_TOKEN = /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?(?![\w$])/y;
const TEXT_TOKEN = /'((?:[^'\\\n]|\\[^])*)'|"((?:[^"\\\n]|\\[^])*)"/y;
const PATTERN_TOKEN = /\/((?:[^/\\[\n]|\\[^\n]|\[(?:[^\]\\\n]|\\[^\n])*\])+)\/([a-z]*)/y;
const DECLARATION_TOKEN = /var(?=\s)/y;
const ARROW_TOKEN = /(?:\(\s*(?:[A-Za-z_$][\w$]*(?:\s*,\s*[A-Za-z_$][\w$]*)*)?\s*\)|[A-Za-z_$][\w$]*)\s*=>/y;
const COMMENTS_TOKEN = /(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)+/y;

/** Binary operators by precedence, lowest first. */
const OPERATOR_LEVELS: readonly (readonly (readonly [sign: RegExp, operator: BinarySign])[])[] = [
  [[/\|\|/y, '||']],
  [[/&&/y, '&&']],
  [
    [/===/y, '==='],
    [/!==/y, '!=='],
    [/==/y, '=='],
    [/!=/y, '!='],
  ],
  [
    [/<=/y, '<='],
    [/>=/y, '>='],
    [/<(?!<)/y, '<'],
    [/>(?!>)/y, '>'],
  ],
  [
    [/\+(?!\+)/y, '+'],
    [/-(?!-)/y, '-'],
  ],
  [
    [/\*(?!\*)/y, '*'],
    [/\//y, '/'],
    [/%/y, '%'],
  ],
];

const CONSTANT_VALUES: ReadonlyMap<string, boolean | null | undefined> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
]);

/** Keywords of JavaScript that are rejected in expressions. */
const REFUSED_KEYWORDS: ReadonlySet<string> = new Set(
  'break case catch class const continue debugger default delete do else export extends finally for if import in instanceof let return super switch this throw try void while with yield'.split(
    ' ',
  ),
);

/**
 * Parses the source text of a script.
 *
 * @throws SyntaxProblem if it is invalid
 */
export function parseScript(source: string): ScriptNode {
  return new ScriptParser(source).parse();
}

class ScriptParser {
  readonly #scanner: Scanner;
  #depth = 0;
  #nodes = 0;

  constructor(source: string) {
    this.#scanner = new Scanner(source);
    if (source.length > SOURCE_LENGTH_MAX) {
      this.#scanner.fail(
        `an expression has at most ${String(SOURCE_LENGTH_MAX)} characters: shorten it`,
        SOURCE_LENGTH_MAX,
      );
    }
    this.#space();
  }

  parse(): ScriptNode {
    // An empty script evaluates to `undefined`.
    if (this.#scanner.isAtEnd) return { kind: 'literal', value: undefined };
    const node = this.#statements();
    while (this.#accept(';'));
    if (!this.#scanner.isAtEnd)
      this.#scanner.fail(`the expression cannot continue with this: ${this.#scanner.ahead()}`);
    return node;
  }

  #statements(): ScriptNode {
    return this.#nested(() => {
      if (this.#match(DECLARATION_TOKEN) === undefined) return this.#conditional();
      const name = this.#name();
      this.#expect('=', 'the value of this name');
      const value = this.#conditional();
      if (!this.#accept(';')) this.#scanner.fail('";" is missing: the end of this declaration');
      return this.#node({ kind: 'with', name, value, body: this.#statements() });
    });
  }

  #conditional(): ScriptNode {
    return this.#nested(() => {
      const condition = this.#parseBinary(0);
      if (!this.#accept('?')) return condition;
      const yes = this.#conditional();
      this.#expect(':', 'the second case of this "?"');
      return this.#node({ kind: 'choice', condition, yes, no: this.#conditional() });
    });
  }

  #parseBinary(level: number): ScriptNode {
    const operators = OPERATOR_LEVELS[level];
    if (operators === undefined) return this.#unary();
    let left = this.#parseBinary(level + 1);
    while (true) {
      const entry = operators.find(([sign]) => this.#match(sign) !== undefined);
      if (entry === undefined) return left;
      left = this.#node({ kind: 'binary', operator: entry[1], left, right: this.#parseBinary(level + 1) });
    }
  }

  #unary(): ScriptNode {
    for (const operator of ['!', '-', '+'] as const) {
      if (this.#accept(operator))
        return this.#nested(() => this.#node({ kind: 'unary', operator, operand: this.#unary() }));
    }
    if (this.#match(/typeof(?![\w$])/y) !== undefined) {
      return this.#nested(() => this.#node({ kind: 'unary', operator: 'typeof', operand: this.#unary() }));
    }
    return this.#members(this.#primary());
  }

  #members(object: ScriptNode): ScriptNode {
    let node = object;
    while (true) {
      if (this.#accept('.')) {
        const name = this.#match(NAME_TOKEN)?.[0] ?? this.#scanner.fail('the name of an attribute is missing here');
        node = this.#node({ kind: 'member', object: node, key: { kind: 'literal', value: name } });
      } else if (this.#accept('[')) {
        const key = this.#conditional();
        this.#expect(']', 'the end of the attribute name');
        node = this.#node({ kind: 'member', object: node, key });
      } else if (this.#accept('(')) {
        node = this.#node({ kind: 'call', callee: node, args: this.#list(')') });
      } else {
        return node;
      }
    }
  }

  #primary(): ScriptNode {
    const start = this.#scanner.position;
    const arrow = this.#match(ARROW_TOKEN)?.[0];
    if (arrow !== undefined) {
      const parameters = arrow.match(/[A-Za-z_$][\w$]*/g) ?? [];
      return this.#node({ kind: 'function', parameters, body: this.#arrowBody() });
    }
    if (this.#accept('(')) {
      const node = this.#conditional();
      this.#expect(')', 'the end of this "("');
      return node;
    }
    if (this.#accept('[')) return this.#node({ kind: 'list', items: this.#list(']') });
    const text = this.#match(TEXT_TOKEN);
    if (text !== undefined) return this.#node({ kind: 'literal', value: unescapeText(text[1] ?? text[2] ?? '') });
    const number = this.#match(NUMBER_TOKEN)?.[0];
    if (number !== undefined) return this.#node({ kind: 'literal', value: Number(number) });
    const pattern = this.#match(PATTERN_TOKEN);
    if (pattern !== undefined) return this.#pattern(pattern, start);
    return this.#parseName(start);
  }

  #parseName(start: number): ScriptNode {
    const name = this.#name();
    if (CONSTANT_VALUES.has(name)) return this.#node({ kind: 'literal', value: CONSTANT_VALUES.get(name) });
    if (name === 'function') return this.#function();
    if (name === 'new') return this.#date(start);
    return this.#node({ kind: 'name', name });
  }

  #function(): ScriptNode {
    this.#match(NAME_TOKEN);
    this.#expect('(', 'the parameters of the function');
    const parameters: string[] = [];
    if (!this.#accept(')')) {
      do parameters.push(this.#name());
      while (this.#accept(','));
      this.#expect(')', 'the end of the parameters');
    }
    return this.#node({ kind: 'function', parameters, body: this.#body() });
  }

  #arrowBody(): ScriptNode {
    return this.#scanner.sees('{') ? this.#body() : this.#conditional();
  }

  #body(): ScriptNode {
    this.#expect('{', 'the body of the function');
    if (this.#match(/return(?![\w$])/y) === undefined) this.#scanner.fail('a function may contain only { return ... }');
    const body = this.#conditional();
    while (this.#accept(';'));
    this.#expect('}', 'the end of this function');
    return body;
  }

  #date(start: number): ScriptNode {
    if (this.#name() !== 'Date') this.#scanner.fail('only new Date(milliseconds) is supported', start);
    this.#expect('(', 'the time in milliseconds');
    const args = this.#list(')');
    if (args.length > 1) this.#scanner.fail('new Date takes one number of milliseconds, or nothing for now', start);
    return this.#node({ kind: 'date', time: args[0] });
  }

  #pattern([, source = '', flags = '']: RegExpExecArray, start: number): ScriptNode {
    if (/[^gi]/.test(flags)) this.#scanner.fail('the flags of a pattern are i and g', start);
    const pattern = new Pattern(toTextAnchors(source), { ignoresCase: flags.includes('i'), offset: start + 1 });
    return this.#node({ kind: 'pattern', pattern });
  }

  #list(close: string): ScriptNode[] {
    const items: ScriptNode[] = [];
    if (this.#accept(close)) return items;
    do items.push(this.#conditional());
    while (this.#accept(','));
    this.#expect(close, 'the end of this list');
    return items;
  }

  #name(): string {
    const start = this.#scanner.position;
    const name =
      this.#match(NAME_TOKEN)?.[0] ??
      this.#scanner.fail(
        this.#scanner.isAtEnd ? 'a value is missing here' : `a value is missing here, before ${this.#scanner.ahead()}`,
      );
    if (REFUSED_KEYWORDS.has(name))
      this.#scanner.fail(`"${name}" is not supported: an expression cannot change anything`, start);
    return name;
  }

  #accept(sign: string): boolean {
    if (sign === '=' && this.#scanner.sees('==')) return false;
    const isTaken = this.#scanner.accept(sign);
    if (isTaken) this.#space();
    return isTaken;
  }

  #expect(sign: string, meaning: string): void {
    if (!this.#accept(sign)) this.#scanner.fail(`"${sign}" is missing: ${meaning}`);
  }

  #match(pattern: RegExp): RegExpExecArray | undefined {
    const match = this.#scanner.match(pattern);
    if (match !== undefined) this.#space();
    return match;
  }

  #space(): void {
    this.#scanner.match(COMMENTS_TOKEN);
  }

  #nested(parse: () => ScriptNode): ScriptNode {
    if (++this.#depth > DEPTH_MAX) this.#scanner.fail(`an expression is nested at most ${String(DEPTH_MAX)} deep`);
    const node = parse();
    this.#depth--;
    return node;
  }

  #node(node: ScriptNode): ScriptNode {
    if (++this.#nodes > NODES_MAX) this.#scanner.fail(`an expression has at most ${String(NODES_MAX)} parts: split it`);
    return node;
  }
}

/**
 * Rewrites `^` and `$`, which match the ends of the text in JavaScript, to `\A` and `\z`. `Pattern` uses the syntax of
 * Ruby, where `^` and `$` match the ends of each line.
 */
function toTextAnchors(source: string): string {
  return source.replaceAll(/\\[^]|\[(?:[^\]\\]|\\[^])*\]|[\^$]/g, (part) =>
    part === '^' ? '\\A' : part === '$' ? '\\z' : part === '\\/' ? '/' : part,
  );
}

const ESCAPE_CHARACTERS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['b', '\b'],
  ['f', '\f'],
  ['v', '\v'],
  ['0', '\0'],
]);

function unescapeText(text: string): string {
  return text.replaceAll(
    /\\(?:u([\da-fA-F]{4})|x([\da-fA-F]{2})|([^]))/g,
    (_, unit, byte, sign: string | undefined) => {
      const code = (unit ?? byte) as string | undefined;
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
      return sign === undefined ? '' : (ESCAPE_CHARACTERS.get(sign) ?? sign);
    },
  );
}
