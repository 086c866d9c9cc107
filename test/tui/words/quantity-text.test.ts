import { describe, expect, test } from 'vitest';
import { quantityText, scaleText } from '../../../tui/words/quantity-text.ts';

describe('the text of a value with its unit', () => {
  test.each([
    { value: 0.25, unit: 's', text: '250 ms' },
    { value: 1.5, unit: 's', text: '1.5 s' },
    { value: 0.00002, unit: 's', text: '20 µs' },
    { value: 1500, unit: 'ms', text: '1.5 s' },
    { value: 0, unit: 's', text: '0 s' },
    { value: 80.123, unit: '%', text: '80.1 %' },
    { value: 1536, unit: 'MB', text: '1.5 GiB' },
    { value: 0, unit: 'B', text: '0 B' },
    { value: 1234, unit: '', text: '1230' },
    { value: 123_456, unit: 'c', text: '123k' },
    { value: -5, unit: 'dBm', text: '-5 dBm' },
    { value: 1e99, unit: '%', text: '1e+99 %' },
  ])('$value in the unit "$unit" is $text', ({ value, unit, text }) => {
    expect(quantityText(value, unit)).toBe(text);
  });

  test.each([
    { value: 0.75, step: 0.25, text: '0.75' },
    { value: 0.30000000000000004, step: 0.1, text: '0.3' },
    { value: 92.5, step: 2.5, text: '92.5' },
    { value: 20, step: 5, text: '20' },
    { value: 1e12, step: 1e11, text: '1.00e+12' },
  ])('$value on a scale with the step $step is $text', ({ value, step, text }) => {
    expect(scaleText(value, step)).toBe(text);
  });
});
