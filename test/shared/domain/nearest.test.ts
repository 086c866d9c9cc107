import { expect, test } from 'vitest';
import { findNearest } from '../../../shared/domain/nearest.ts';

const WORDS = ['list', 'info', 'resolve', 'create', 'clear', 'expire', 'expire-on-resolve'];

test.each([
  ['lsit', 'list'],
  ['lis', 'list'],
  ['inof', 'info'],
  ['reslove', 'resolve'],
  ['crate', 'create'],
  ['clera', 'clear'],
  ['exp', 'expire'],
  ['expire-on-resovle', 'expire-on-resolve'],
  ['LIST', undefined],
  ['delete', undefined],
  ['x', undefined],
  ['', undefined],
])('the suggestion for the mistyped command word %j is %s', (typed, meant) => {
  expect(findNearest(typed, WORDS)).toBe(meant);
});
