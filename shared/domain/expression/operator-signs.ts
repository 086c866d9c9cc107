import type { BinaryOperator } from './tree.ts';

/** How an operator is written; longer signs of Ruby that begin alike are not taken for it. */
export type OperatorSign = readonly [sign: RegExp, operator: BinaryOperator];

export const OR: readonly OperatorSign[] = [[/\|\|/y, 'or']];
export const AND: readonly OperatorSign[] = [[/&&/y, 'and']];
export const EQUALITY: readonly OperatorSign[] = [
  [/==(?!=)/y, '=='],
  [/!=/y, '!='],
];
/** As expressions of version 2 may also write it; no value equals one of another kind here anyway. */
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
