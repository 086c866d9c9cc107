import type { Pattern } from './pattern.ts';

/** A token `:::path|default:::` in an expression: an attribute of the subject, as a value and never as source text. */
export interface Token {
  readonly path: readonly string[];
  /** The default. Without it and the attribute, the whole expression has no value. */
  readonly fallback?: Fallback;
}

/** A default as a value by itself (`60` is a number), and as part of a quoted text. */
export interface Fallback {
  readonly value: unknown;
  readonly text: string;
}

export type BinaryOperator =
  'and' | 'or' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | 'fdiv' | '%';

/** An expression as a syntax tree. */
export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** A number written with a decimal point, so that division by it is exact. */
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'text'; readonly parts: readonly (string | Token)[] }
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'value' }
  /** An attribute by its path, such as `event.check.status`; nil if there is none. */
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
  /** A time; without seconds it is now, and without a zone it uses that of the evaluation. */
  | { readonly kind: 'time'; readonly seconds?: ExpressionNode; readonly zone?: string };

/** Whether the number from this node is a float by its spelling: Ruby divides 5 by 2 to 2, and 5 by 2.0 to 2.5. */
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
