import type { Pattern } from './pattern.ts';

/** `:::path|default:::` in an expression: an attribute of what is judged, as a value and never as source text. */
export interface Token {
  readonly path: readonly string[];
  /** Absent: without the attribute the whole expression has no value. */
  readonly fallback?: Fallback;
}

/** A default as it stands for itself (`60` is a number), and as it is put into a quoted text. */
export interface Fallback {
  readonly value: unknown;
  readonly text: string;
}

export type BinaryOperator =
  'and' | 'or' | '==' | '!=' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | 'fdiv' | '%';

/** An expression as a tree. */
export type ExpressionNode =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  /** A number that was written with a point, so that dividing by it leaves a fraction. */
  | { readonly kind: 'float'; readonly value: number }
  | { readonly kind: 'text'; readonly parts: readonly (string | Token)[] }
  | { readonly kind: 'token'; readonly token: Token }
  | { readonly kind: 'value' }
  /** `event.check.status`: an attribute by its path, nil where there is none. */
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
  /** Without seconds: now. Without a zone: the zone of whoever evaluates. */
  | { readonly kind: 'time'; readonly seconds?: ExpressionNode; readonly zone?: string };

/** Whether a number from this node has a fraction by its spelling: Ruby divides 5 by 2 to 2, and 5 by 2.0 to 2.5. */
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
