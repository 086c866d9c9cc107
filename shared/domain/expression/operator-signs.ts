import type { BinaryOperator } from './tree.ts';

/** The spelling of an operator. Lookaheads exclude longer operators of Ruby with the same start. */
export type OperatorSign = readonly [sign: RegExp, operator: BinaryOperator];

export const OR: readonly OperatorSign[] = [[/\|\|/y, 'or']];
export const AND: readonly OperatorSign[] = [[/&&/y, 'and']];
export const EQUALITY: readonly OperatorSign[] = [
  [/==(?!=)/y, '=='],
  [/!=/y, '!='],
];
/**
 * Strict operators of v2 expressions. They equal the loose ones, because values of different types are never equal
 * here.
 */
export const STRICT_EQUALITY: readonly OperatorSign[] = [[/===/y, '=='], [/!==/y, '!='], ...EQUALITY];
export const ORDER: readonly OperatorSign[] = [
  [/<=(?!>)/y, '<='],
  [/>=/y, '>='],
  [/<(?!<|=>)/y, '<'],
  [/>(?!>)/y, '>'],
];
export const SUM: readonly OperatorSign[] = [
  [/\+/y, '+'],
  [/-/y, '-'],
];
export const PRODUCT: readonly OperatorSign[] = [
  [/\*(?!\*)/y, '*'],
  [/\//y, '/'],
  [/%/y, '%'],
];
