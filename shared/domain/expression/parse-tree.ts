import { TIME_ZONE_HINT, timeZoneOf } from '../../schemas/time-zone.ts';
import { argumentCount, METHOD_NAMES } from './methods.ts';
import {
  AND_SIGNS,
  EQUALITY_SIGNS,
  OR_SIGNS,
  ORDER_SIGNS,
  PRODUCT_SIGNS,
  STRICT_EQUALITY,
  SUM_SIGNS,
  type OperatorSign,
} from './operator-signs.ts';
import { Pattern } from './pattern.ts';
import { Scanner } from './scanner.ts';
import { SCRIPT_FUNCTIONS, SCRIPT_METHODS, SCRIPT_NOTHING } from './script-spellings.ts';
import { readQuoted, readToken, TOKEN_AHEAD } from './text.ts';
import { isFloat, type BinaryOperator, type ExpressionNode, type Token } from './tree.ts';

/** Limits of one expression (completion 1.9). */
const SOURCE_LENGTH_MAX = 1024;
const NODES_MAX = 200;
const DEPTH_MAX = 32;

const NUMBER_TOKEN = /\d+(?:_\d+)*(?<fraction>\.\d+(?:_\d+)*)?(?<exponent>[eE][+-]?\d+)?(?!\w)/y;
const NAME_TOKEN = /[A-Za-z_]\w*/y;
const METHOD_TOKEN = /[A-Za-z_]\w*\??/y;
const PATTERN_TOKEN = /\/((?:[^/\\]|\\[^])*)\/([a-z]*)/y;

/**
 * Matches the first character of a method argument without parentheses. `+` and `-` are excluded, because they would be
 * parsed as binary operators.
 */
const BARE_ARGUMENT = /[\w'":[]/;

const CONSTANT_VALUES: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['nil', null],
  ['null', null],
]);

/** Keywords of Ruby that expressions do not support, each with a hint about the operator to use instead. */
const KEYWORD_HINTS: ReadonlyMap<string, string> = new Map([
  ['and', 'write && instead of "and"'],
  ['or', 'write || instead of "or"'],
  ['not', 'write ! instead of "not"'],
]);

export interface ExpressionTree {
  readonly root: ExpressionNode;
  /** All tokens, in the order of their appearance. */
  readonly tokens: readonly Token[];
}

/**
 * Parses the source text of an expression.
 *
 * @param roots names that begin attribute paths, such as `event`; if there are none, the parser accepts no v2 syntax
 * @throws SyntaxProblem if the text is invalid
 */
export function parseTree(source: string, roots: ReadonlySet<string> = NO_ROOTS): ExpressionTree {
  return new Parser(source, roots).parse();
}

const NO_ROOTS: ReadonlySet<string> = new Set();

/**
 * Grammar of expressions, from lowest to highest precedence, as in Ruby. Spaces are allowed between all tokens:
 *
 *     choice    = range [ "?" choice ":" choice ]
 *     range     = any [ ".." any ]
 *     any       = all { "||" all }
 *     all       = equality { "&&" equality }
 *     equality  = matched [ ( "==" | "!=" ) matched ]
 *     matched   = order [ "=~" "/" pattern "/" [ "i" ] ]
 *     order     = sum [ ( "<" | "<=" | ">" | ">=" ) sum ]
 *     sum       = product { ( "+" | "-" ) product }
 *     product   = unary { ( "*" | "/" | "%" ) unary }
 *     unary     = "!" unary | "-" unary | primary { "." method [ "(" arguments ")" ] } [ "." method arguments ]
 *     primary   = number | quoted | token | list | "(" choice ")" | "value" | "true" | "false" | "nil" | "null"
 *               | attribute | "Time.now" [ "(" "in:" quoted ")" ] | "Time.at" "(" choice [ "," "in:" quoted ] ")"
 *     attribute = root { "." name | "[" quoted "]" }
 *
 * With `roots`, the parser also accepts the parts of v2 scripts that have an equivalent in this grammar: `===`,
 * `undefined`, `hour(seconds)`, `weekday(seconds)`, `includes` and similar methods.
 *
 * Arguments without parentheses extend to the end of the expression or of the enclosing parentheses. They are allowed
 * only in the first term of an expression or of parentheses, after an optional "!". In `'ab'.include? 'a' && true` the
 * argument is `'a' && true`, as in Ruby.
 *
 * After a dot, the name of a method always means the method; an attribute of that name must be in brackets.
 */
class Parser {
  readonly #scanner: Scanner;
  readonly #roots: ReadonlySet<string>;
  readonly #tokens: Token[] = [];
  #depth = 0;
  #nodes = 0;
  /** Start of the expression or parentheses. Only a method call that begins here can omit its parentheses. */
  #statement: number;

  constructor(source: string, roots: ReadonlySet<string>) {
    this.#scanner = new Scanner(source);
    this.#roots = roots;
    this.#statement = this.#scanner.position;
  }

  parse(): ExpressionTree {
    if (this.#scanner.source.length > SOURCE_LENGTH_MAX) {
      this.#scanner.fail(
        `an expression has at most ${String(SOURCE_LENGTH_MAX)} characters: shorten it`,
        SOURCE_LENGTH_MAX,
      );
    }
    const root = this.#conditional();
    if (!this.#scanner.isAtEnd)
      this.#scanner.fail(`the expression cannot continue with this: ${this.#scanner.ahead()}`);
    return { root, tokens: this.#tokens };
  }

  #conditional(): ExpressionNode {
    return this.#nested(() => {
      const condition = this.#range();
      if (!this.#scanner.accept('?')) return condition;
      const yes = this.#conditional();
      this.#scanner.expect(':', 'the second case of this "?"');
      return this.#node({ kind: 'choice', condition, yes, no: this.#conditional() });
    });
  }

  #range(): ExpressionNode {
    const first = this.#disjunction();
    if (!this.#scanner.accept('..')) return first;
    if (this.#scanner.peek() === '.') this.#scanner.fail('write .. and the last number that belongs to the range');
    return this.#node({ kind: 'range', first, last: this.#disjunction() });
  }

  #disjunction(): ExpressionNode {
    return this.#chain(OR_SIGNS, () => this.#conjunction());
  }

  #conjunction(): ExpressionNode {
    return this.#chain(AND_SIGNS, () => this.#equality());
  }

  #equality(): ExpressionNode {
    return this.#parseSingleOperator(this.#hasRoots ? STRICT_EQUALITY : EQUALITY_SIGNS, () => this.#patternMatch());
  }

  #patternMatch(): ExpressionNode {
    const subject = this.#order();
    return this.#scanner.accept('=~') ? this.#node({ kind: 'match', subject, pattern: this.#pattern() }) : subject;
  }

  #order(): ExpressionNode {
    return this.#parseSingleOperator(ORDER_SIGNS, () => this.#sum());
  }

  #sum(): ExpressionNode {
    return this.#chain(SUM_SIGNS, () => this.#product());
  }

  #product(): ExpressionNode {
    return this.#chain(PRODUCT_SIGNS, () => this.#unary());
  }

  #chain(operators: readonly OperatorSign[], operand: () => ExpressionNode): ExpressionNode {
    let left = operand();
    while (true) {
      const operator = this.#operator(operators);
      if (operator === undefined) return left;
      left = this.#binary(operator, left, operand());
    }
  }

  /** Parses operands with at most one operator between them. A chain such as `1 < 2 < 3` is rejected. */
  #parseSingleOperator(operators: readonly OperatorSign[], operand: () => ExpressionNode): ExpressionNode {
    const left = operand();
    const operator = this.#operator(operators);
    if (operator === undefined) return left;
    const node = this.#binary(operator, left, operand());
    const position = this.#scanner.position;
    if (this.#operator(operators) !== undefined)
      this.#scanner.fail('compare two values at a time, joined by &&', position);
    return node;
  }

  #binary(operator: BinaryOperator, left: ExpressionNode, right: ExpressionNode): ExpressionNode {
    const isExact = operator === '/' && (isFloat(left) || isFloat(right));
    return this.#node({ kind: 'binary', operator: isExact ? 'fdiv' : operator, left, right });
  }

  #operator(operators: readonly OperatorSign[]): BinaryOperator | undefined {
    for (const [sign, operator] of operators) if (this.#scanner.match(sign) !== undefined) return operator;
    return undefined;
  }

  #unary(): ExpressionNode {
    const start = this.#scanner.position;
    if (this.#scanner.peek() === '!' && this.#scanner.accept('!')) {
      if (start === this.#statement) this.#statement = this.#scanner.position;
      return this.#nested(() => this.#node({ kind: 'not', operand: this.#unary() }));
    }
    if (this.#scanner.peek() === '-' && this.#scanner.accept('-')) {
      // As in Ruby, the sign is part of the number: -2.abs is 2.
      if (/\d/.test(this.#scanner.peek() ?? '')) return this.#calls(this.#number(-1), start);
      return this.#nested(() => this.#node({ kind: 'minus', operand: this.#unary() }));
    }
    return this.#calls(this.#primary(), start);
  }

  #calls(receiver: ExpressionNode, begin: number): ExpressionNode {
    let node = receiver;
    while (!this.#scanner.sees('..') && this.#scanner.accept('.')) {
      const start = this.#scanner.position;
      const name = this.#scanner.match(METHOD_TOKEN)?.[0] ?? '';
      const method = (this.#hasRoots ? SCRIPT_METHODS.get(name) : undefined) ?? name;
      const takes = argumentCount(method);
      if (takes === undefined)
        this.#scanner.fail(`there is no method "${method}": use ${METHOD_NAMES.join(', ')}`, start);
      const args = this.#arguments(takes > 0 && begin === this.#statement);
      if (args.length !== takes) {
        this.#scanner.fail(
          `${method} takes ${String(takes)} arguments, in parentheses, but got ${String(args.length)}`,
          start,
        );
      }
      node = this.#node({ kind: 'call', receiver: node, method, arguments: args });
    }
    return node;
  }

  #arguments(mayBeBare: boolean): ExpressionNode[] {
    if (this.#scanner.accept('(')) return this.#list(')');
    if (!mayBeBare || this.#hasRoots || !BARE_ARGUMENT.test(this.#scanner.peek() ?? '')) return [];
    const items: ExpressionNode[] = [];
    do items.push(this.#conditional());
    while (this.#scanner.accept(','));
    return items;
  }

  #primary(): ExpressionNode {
    const start = this.#scanner.position;
    const next = this.#scanner.peek();
    if (next === undefined) this.#scanner.fail('a value is missing here');
    if (this.#scanner.accept('(')) {
      const outer = this.#statement;
      this.#statement = this.#scanner.position;
      const node = this.#conditional();
      this.#statement = outer;
      this.#scanner.expect(')', 'the end of this "("', start);
      return node;
    }
    if (this.#scanner.accept('[')) return this.#node({ kind: 'list', items: this.#list(']') });
    if (next === "'" || next === '"') return this.#text();
    if (/\d/.test(next)) return this.#number(1);
    if (this.#scanner.sees(TOKEN_AHEAD)) return this.#token();
    return this.#parseName(start);
  }

  /** Parses the items of a list up to and including the closing bracket or parenthesis. */
  #list(close: string): ExpressionNode[] {
    const items: ExpressionNode[] = [];
    if (this.#scanner.accept(close)) return items;
    do items.push(this.#conditional());
    while (this.#scanner.accept(','));
    this.#scanner.expect(close, 'the end of this list');
    return items;
  }

  #number(sign: 1 | -1): ExpressionNode {
    const start = this.#scanner.position;
    const match = this.#scanner.match(NUMBER_TOKEN) ?? this.#scanner.fail('this is not a number');
    const [digits] = match;
    if (/^0\d/.test(digits)) this.#scanner.fail('write this number without its leading zero', start);
    const value = sign * Number(digits.replaceAll('_', ''));
    if (!Number.isFinite(value)) this.#scanner.fail('this number is too large', start);
    const isInteger = match.groups?.['fraction'] === undefined && match.groups?.['exponent'] === undefined;
    return this.#node({ kind: isInteger ? 'literal' : 'float', value });
  }

  #text(): ExpressionNode {
    const { parts, end } = readQuoted(this.#scanner.source, this.#scanner.position);
    this.#scanner.moveTo(end);
    for (const part of parts) if (typeof part !== 'string') this.#tokens.push(part);
    const [only = ''] = parts;
    if (parts.length <= 1 && typeof only === 'string') return this.#node({ kind: 'literal', value: only });
    return this.#node({ kind: 'text', parts });
  }

  #token(): ExpressionNode {
    const { token, end } = readToken(this.#scanner.source, this.#scanner.position);
    this.#scanner.moveTo(end);
    this.#tokens.push(token);
    return this.#node({ kind: 'token', token });
  }

  #parseName(start: number): ExpressionNode {
    const name =
      this.#scanner.match(NAME_TOKEN)?.[0] ??
      this.#scanner.fail(`a value is missing here, before ${this.#scanner.ahead()}`);
    if (name === 'value') return this.#node({ kind: 'value' });
    if (name === 'Time') return this.#time(start);
    if (this.#roots.has(name)) return this.#attribute(name);
    if (this.#hasRoots && name === SCRIPT_NOTHING) return this.#node({ kind: 'literal', value: null });
    const method = this.#hasRoots ? SCRIPT_FUNCTIONS.get(name) : undefined;
    if (method !== undefined && this.#scanner.accept('(')) return this.#timeField(method);
    const constant = CONSTANT_VALUES.get(name);
    if (constant !== undefined) return this.#node({ kind: 'literal', value: constant });
    const hint = KEYWORD_HINTS.get(name) ?? `there is no "${name}": use ${this.#values()}, or quote a text`;
    return this.#scanner.fail(hint, start);
  }

  #timeField(method: string): ExpressionNode {
    const receiver = this.#node({ kind: 'time', seconds: this.#conditional(), zone: 'UTC' });
    this.#scanner.expect(')', 'the end of the arguments');
    return this.#node({ kind: 'call', receiver, method, arguments: [] });
  }

  get #hasRoots(): boolean {
    return this.#roots.size > 0;
  }

  #values(): string {
    const [root] = this.#roots;
    return root === undefined ? 'value, a token such as :::check.name:::' : `an attribute such as ${root}.name`;
  }

  #attribute(root: string): ExpressionNode {
    const path = [root];
    while (true) {
      const part = this.#scanner.accept('[') ? this.#bracketed() : this.#dotted();
      if (part === undefined) return this.#node({ kind: 'attribute', path });
      path.push(part);
    }
  }

  #bracketed(): string {
    const start = this.#scanner.position;
    const next = this.#scanner.peek();
    const { parts, end } =
      next === "'" || next === '"'
        ? readQuoted(this.#scanner.source, start)
        : this.#scanner.fail("write the name of the attribute in quotes, as in labels['region']");
    const [name] = parts;
    if (typeof name !== 'string' || parts.length > 1) this.#scanner.fail('this is not an attribute name', start);
    this.#scanner.moveTo(end);
    this.#scanner.expect(']', 'the end of the attribute name');
    return name;
  }

  /** Returns the next name of an attribute path; undefined if the path ends here or a method follows. */
  #dotted(): string | undefined {
    const start = this.#scanner.position;
    if (this.#scanner.sees('..') || !this.#scanner.accept('.')) return undefined;
    const name = this.#scanner.match(METHOD_TOKEN)?.[0];
    if (
      name !== undefined &&
      !name.endsWith('?') &&
      argumentCount(name) === undefined &&
      this.#scanner.peek() !== '('
    ) {
      return name;
    }
    this.#scanner.moveTo(start);
    return undefined;
  }

  #time(start: number): ExpressionNode {
    const method = this.#scanner.accept('.') ? this.#scanner.match(NAME_TOKEN)?.[0] : undefined;
    if (method === 'now') {
      const zone = this.#scanner.accept('(') ? this.#zone() : undefined;
      if (zone !== undefined) this.#scanner.expect(')', 'the end of the arguments');
      return this.#node({ kind: 'time', ...zone });
    }
    if (method !== 'at' || !this.#scanner.accept('('))
      return this.#scanner.fail('a time is Time.now or Time.at(seconds)', start);
    const seconds = this.#conditional();
    const zone = this.#scanner.accept(',') ? this.#zone() : undefined;
    this.#scanner.expect(')', 'the end of the arguments');
    return this.#node({ kind: 'time', seconds, ...zone });
  }

  #zone(): { zone: string } {
    const start = this.#scanner.position;
    if (!this.#scanner.accept('in:')) this.#scanner.fail("write the zone in quotes, such as 'Europe/Berlin'", start);
    const { parts, end } = readQuoted(this.#scanner.source, this.#scanner.position);
    const [text] = parts;
    const zone = typeof text === 'string' && parts.length === 1 ? timeZoneOf(text) : undefined;
    if (zone === undefined) this.#scanner.fail(`this is not a time zone: write ${TIME_ZONE_HINT}`);
    this.#scanner.moveTo(end);
    return { zone };
  }

  #pattern(): Pattern {
    const start = this.#scanner.position;
    const [, source = '', flags = ''] =
      this.#scanner.match(PATTERN_TOKEN) ??
      this.#scanner.fail('a pattern between slashes is missing here, as in =~ /disk/', start);
    if (flags !== '' && flags !== 'i')
      this.#scanner.fail('the only flag of a pattern is i, which ignores upper and lower case', start);
    return new Pattern(source, { ignoresCase: flags === 'i', offset: start + 1 });
  }

  #nested(parse: () => ExpressionNode): ExpressionNode {
    if (++this.#depth > DEPTH_MAX)
      this.#scanner.fail(`nested deeper than ${String(DEPTH_MAX)} levels: simplify the expression`);
    const node = parse();
    this.#depth--;
    return node;
  }

  #node<Node extends ExpressionNode>(node: Node): Node {
    if (++this.#nodes > NODES_MAX) this.#scanner.fail(`more than ${String(NODES_MAX)} parts: shorten the expression`);
    return node;
  }
}
