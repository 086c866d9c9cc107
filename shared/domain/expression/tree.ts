import type { Pattern } from './pattern.ts';

/**
 * A token `:::path|default:::` in an expression. It is replaced by the value of an attribute, and that value is never
 * parsed as source text.
 */
export interface Token {
  readonly path: readonly string[];
  /** The default of the token. If it has neither an attribute nor a default, the whole expression has no value. */
  readonly fallback?: Fallback;
}

/** The default of a token, as a `value` for a token alone (`60` is a number), and as `text` within a quoted text. */
export interface Fallback {
  readonly value: unknown;
  readonly text: string;
}

export type BinaryOperator =
  'and' | 'or' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | 'fdiv' | '%';

/** A node of the syntax tree of an expression. */
export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** A number written with a decimal point or an exponent, so that division by it is exact. */
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'text'; readonly parts: readonly (string | Token)[] }
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'value' }
  /** An attribute by its path, such as `event.check.status`; its value is nil if there is no such attribute. */
  | { readonly kind: 'attribute'; readonly path: readonly string[] }
  | { readonly kind: 'list'; readonly items: readonly ExpressionNode[] }
  | { readonly kind: 'range'; readonly first: ExpressionNode; readonly last: ExpressionNode }
  | { readonly kind: 'not' | 'minus'; readonly operand: ExpressionNode }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: ExpressionNode;
      readonly right: ExpressionNode;
    }
  | { readonly kind: 'match'; readonly subject: ExpressionNode; readonly pattern: Pattern }
  | {
      readonly kind: 'choice';
      readonly condition: ExpressionNode;
      readonly yes: ExpressionNode;
      readonly no: ExpressionNode;
    }
  | {
      readonly kind: 'call';
      readonly receiver: ExpressionNode;
      readonly method: string;
      readonly arguments: readonly ExpressionNode[];
    }
  /** A time: the current time if `seconds` is omitted, in the time zone of the evaluation if `zone` is omitted. */
  | { readonly kind: 'time'; readonly seconds?: ExpressionNode; readonly zone?: string };

/** Whether the source text shows that a node yields a float. As in Ruby, 5 / 2 is 2, and 5 / 2.0 is 2.5. */
export function isFloat(node: ExpressionNode): boolean {
  switch (node.kind) {
    case 'float':
      return true;
    case 'minus':
      return isFloat(node.operand);
    case 'binary':
      return node.operator === 'fdiv' || (isArithmetic(node.operator) && (isFloat(node.left) || isFloat(node.right)));
    case 'call':
      return node.method === 'to_f' || (node.method === 'abs' && isFloat(node.receiver));
    default:
      return false;
  }
}

function isArithmetic(operator: BinaryOperator): boolean {
  return operator === '+' || operator === '-' || operator === '*' || operator === '%';
}
