import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GraphemeSegmenter, splitGraphemes } from '../../../tui/terminal/graphemes.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const clusters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

function parts(segments: Iterable<{ readonly segment: string; readonly index: number }>): readonly (string | number)[] {
  return Array.from(segments, ({ segment, index }) => [index, segment]).flat();
}

test('a text is split into the same graphemes as by Intl.Segmenter', () => {
  const pieces = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      'é',
      'e\u0301',
      '…',
      '│',
      '●',
      '\r\n',
      '\n',
      '\u200D',
      '\uFE0F',
      '👩‍🚀',
      '🇩🇪',
      '\u001B[31m',
      '⚠\uFE0F',
      '각',
    ),
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 8 }), fc.nat(20), (texts, at) => {
      const text = texts.join('');
      expect(parts(splitGraphemes(text))).toEqual(parts(clusters.segment(text)));
      const found = new GraphemeSegmenter().segment(text).containing(at);
      expect(found?.segment).toBe(clusters.segment(text).containing(at)?.segment);
    }),
    { numRuns: propertyRuns(100) },
  );
});

test('a text of any two standalone characters is split into the same graphemes as by Intl.Segmenter', () => {
  const characters = Array.from({ length: 0x2c00 }, (_, code) => String.fromCharCode(code));
  const texts = Array.from({ length: characters.length / 16 }, (_, at) =>
    characters
      .slice(16 * at, 16 * (at + 1))
      .map((one) => `a${one}${one}1${one}│${one}\u001B[1m${one}é${one}`)
      .join(''),
  );
  for (const text of texts) expect(parts(splitGraphemes(text)).join('|')).toBe(parts(clusters.segment(text)).join('|'));
});
