import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstMeasurements, limitsOf, rangeEnds } from '../../../../shared/domain/metrics/nagios.ts';

test('a measurement has its label, value, unit and limits', () => {
  expect(
    firstMeasurements("DISK OK | '/var log'=80.5%;90;@95:99;0;100 time=1.5e-3s;;;0\nlong\n| 'it''s'=-2", 4),
  ).toEqual([
    { label: '/var log', value: 80.5, unit: '%', limits: '90;@95:99;0;100' },
    { label: 'time', value: 0.0015, unit: 's', limits: ';;0' },
    { label: "it's", value: -2, unit: '', limits: '' },
  ]);
});

test.each([
  'OK',
  'OK | time=U',
  'OK | =5',
  'OK | a',
  `OK | ${'x'.repeat(200)}=1`,
  'OK | a=1e999',
  'OK | a=5unitmuchtoolong',
])('the output %j has no measurement', (output) => {
  expect(firstMeasurements(output, 4)).toEqual([]);
});

test('invalid limits are null', () => {
  expect(limitsOf('90:;x;0;many')).toEqual({ warn: '90:', crit: null, min: 0, max: null });
  expect(limitsOf('')).toEqual({ warn: null, crit: null, min: null, max: null });
});

test.each([
  { range: '10', ends: [10] },
  { range: '~:10', ends: [10] },
  { range: '5:', ends: [5] },
  { range: '5:10', ends: [5, 10] },
  { range: '@5:10', ends: [5, 10] },
])('the range $range ends at $ends', ({ range, ends }) => {
  expect(rangeEnds(range)).toEqual(ends);
});

test('any output has at most the requested number of finite measurements', () => {
  const text = fc.array(fc.constantFrom('|', '=', "'", ' ', ';', '\n', 'a', '1', '.', 'e', '-', '%'), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(text, (characters) => {
      const found = firstMeasurements(characters.join(''), 3);
      expect(found.length).toBeLessThanOrEqual(3);
      for (const { label, value } of found) {
        expect(Number.isFinite(value)).toBe(true);
        expect(label).not.toBe('');
      }
    }),
  );
});
