import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePatch } from '../../../../shared/domain/v2/merge-patch.ts';

// The examples of RFC 7396, appendix A.
test.each<[document: unknown, patch: unknown, result: unknown]>([
  [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
  [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
  [{ a: 'b' }, { a: null }, {}],
  [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
  [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
  [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
  [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
  [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
  [
    ['a', 'b'],
    ['c', 'd'],
    ['c', 'd'],
  ],
  [{ a: 'b' }, ['c'], ['c']],
  [{ a: 'foo' }, null, null],
  [{ a: 'foo' }, 'bar', 'bar'],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: 'b', c: null }, { a: 'b' }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])('the document %j with the merge patch %j becomes %j', (document, patch, result) => {
  expect(mergePatch(document, patch)).toEqual(result);
});

test('a merge patch that is applied twice equals one application, and an empty patch changes no object', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (document, patch) => {
      const once = mergePatch(document, patch);
      expect(mergePatch(once, patch)).toEqual(once);
      expect(mergePatch(document, {})).toEqual(document);
    }),
  );
});
