import { describe, expect, test } from 'vitest';
import {
  clipText,
  clipBytes,
  clipEscaped,
  plainLine,
  plainText,
  utf8Bytes,
} from '../../../../shared/domain/message/clip.ts';

describe('the truncation of a text for a service', () => {
  test.each([
    ['abc', 3, 'abc'],
    ['abcd', 3, 'ab…'],
    ['ab😀d', 4, 'ab…'],
  ])('the text %j is truncated to %i UTF-16 units as %j', (text, most, cut) => {
    expect(clipText(text, most)).toBe(cut);
  });

  test.each([
    ['ab&amp;cd', 9, 'ab&amp;cd'],
    ['ab&amp;cd', 7, 'ab…'],
    ['ab&amp;cd', 8, 'ab&amp;…'],
    ['a&b &lt;', 7, 'a&b …'],
  ])('the escaped text %j is truncated to %i characters as %j', (text, most, cut) => {
    expect(clipEscaped(text, most)).toBe(cut);
  });

  test.each([
    ['grün', 5, 'grün'],
    ['grüne', 5, 'gr…'],
    ['😀😀', 7, '😀…'],
  ])('the text %j is truncated to %i bytes as %j', (text, most, cut) => {
    expect(clipBytes(text, most)).toBe(cut);
    expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(most);
  });

  test.each(['', 'a', 'ü', '€', '😀'])('the number of UTF-8 bytes of %j is counted correctly', (text) => {
    expect(utf8Bytes(text)).toBe(Buffer.byteLength(text));
  });
});

test('a text that is converted to plain text contains no control sequences', () => {
  const text = 'a\u0000b\u001b[31mred\u001b[0m\r\nc\u202ed\t!\n\n';
  expect(plainText(text)).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
  expect(plainText(text).split('\n')).toHaveLength(2);
  expect(plainLine('Subject\r\nBcc: all@example.com')).not.toMatch(/[\r\n]/);
});
