import type { BinaryOperator } from './tree.ts';
import { EvaluationFailure, isEqual, kindText, numberOrFailure, textOrFailure } from './values.ts';

/** The operators that always evaluate both operands. */
export type EagerOperator = Exclude<BinaryOperator, 'and' | 'or'>;

/** Applies an operator to its operands. Numbers and texts are never converted to each other. */
export function applyOperator(operator: EagerOperator, left: unknown, right: unknown): unknown {
  if (operator === '==') return isEqual(left, right);
  if (operator === '!=') return !isEqual(left, right);
  if (typeof left === 'number' && typeof right === 'number') {
    return compareValues(operator, left, right) ?? calculate(operator, left, right);
  }
  if (typeof left === 'string' && typeof right === 'string') {
    const isSo = compareValues(operator, left, right);
    if (isSo !== undefined) return isSo;
    if (operator === '+') return textOrFailure(left + right);
  }
  const sign = operator === 'fdiv' ? '/' : operator;
  return new EvaluationFailure(`${sign} cannot be applied to ${kindText(left)} and ${kindText(right)}`);
}

/** Compares two values of the same type; returns undefined if the operator is not a comparison. */
function compareValues<Value extends number | string>(
  operator: EagerOperator,
  left: Value,
  right: Value,
): boolean | undefined {
  switch (operator) {
    case '<':
      return left < right;
    case '<=':
      return left <= right;
    case '>':
      return left > right;
    case '>=':
      return left >= right;
    default:
      return undefined;
  }
}

function calculate(operator: Exclude<EagerOperator, '==' | '!='>, left: number, right: number): unknown {
  switch (operator) {
    case '+':
      return numberOrFailure(left + right);
    case '-':
      return numberOrFailure(left - right);
    case '*':
      return numberOrFailure(left * right);
    case '/':
      return divideNumbers(left, right);
    case 'fdiv':
      return right === 0 ? false : numberOrFailure(left / right);
    default:
      return remainderOf(left, right);
  }
}

/**
 * Divides two numbers. As in Ruby, integers give an integer that is rounded down. Division by zero returns false
 * (completion 1.9).
 */
function divideNumbers(left: number, right: number): unknown {
  if (right === 0) return false;
  const quotient = left / right;
  return numberOrFailure(Number.isInteger(left) && Number.isInteger(right) ? Math.floor(quotient) : quotient);
}

/** Returns the remainder with the sign of the right operand, as in Ruby; false if that is zero (completion 1.9). */
function remainderOf(left: number, right: number): unknown {
  if (right === 0) return false;
  const remainder = left % right;
  return remainder !== 0 && remainder < 0 !== right < 0 ? remainder + right : remainder;
}
