import type { BinaryOperator } from './tree.ts';

/**
 * An operator and the regular expression that recognizes it. Lookaheads exclude longer Ruby operators with the same
 * start.
 */
export type OperatorSign = readonly [sign: RegExp, operator: BinaryOperator];

export const OR: readonly OperatorSign[] = [[/\|\|/y, 'or']];
export const AND: readonly OperatorSign[] = [[/&&/y, 'and']];
export const EQUALITY: readonly OperatorSign[] = [
  [/==(?!=)/y, '=='],
  [/!=/y, '!='],
];
/**
 * The equality operators of v2 expressions. `===` is the same as `==`, because neither converts types.
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
