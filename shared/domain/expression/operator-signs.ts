import type { BinaryOperator } from './tree.ts';

/**
 * An operator and the regular expression that recognizes it. Lookaheads exclude longer Ruby operators with the same
 * start.
 */
export type OperatorSign = readonly [sign: RegExp, operator: BinaryOperator];

export const OR_SIGNS: readonly OperatorSign[] = [[/\|\|/y, 'or']];
export const AND_SIGNS: readonly OperatorSign[] = [[/&&/y, 'and']];
export const EQUALITY_SIGNS: readonly OperatorSign[] = [
  [/==(?!=)/y, '=='],
  [/!=/y, '!='],
];
/**
 * The equality operators of v2 expressions. `===` is the same as `==`, because neither converts types.
 */
export const STRICT_EQUALITY: readonly OperatorSign[] = [[/===/y, '=='], [/!==/y, '!='], ...EQUALITY_SIGNS];
export const ORDER_SIGNS: readonly OperatorSign[] = [
  [/<=(?!>)/y, '<='],
  [/>=/y, '>='],
  [/<(?!<|=>)/y, '<'],
  [/>(?!>)/y, '>'],
];
export const SUM_SIGNS: readonly OperatorSign[] = [
  [/\+/y, '+'],
  [/-/y, '-'],
];
export const PRODUCT_SIGNS: readonly OperatorSign[] = [
  [/\*(?!\*)/y, '*'],
  [/\//y, '/'],
  [/%/y, '%'],
];
