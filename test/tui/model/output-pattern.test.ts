import fc from 'fast-check';
import { expect, test } from 'vitest';
import { outputFingerprint, outputPattern } from '../../../tui/model/output-pattern.ts';

test.each([
  ['HTTP 502 after 1.2s', 'HTTP # after #'],
  ['CRITICAL: / is 95% full, 1,204 MiB free', 'CRITICAL: / is #% full, # MiB free'],
  ['cannot connect to db-014.eu-west-1:5432', 'cannot connect to #'],
  ['cannot connect to [2001:db8::1]:443', 'cannot connect to [#::#]:#'],
  ['no route to cache.example.com.', 'no route to #.'],
  ['request 0x7ffde1 of 4f1c9a2e-77aa-4b1e failed at 2026-11-28T22:00:01Z', 'request # of # failed at #'],
  ['lag=184 s, state=catchup', 'lag=# s, state=catchup'],
  ['Größe überschritten', 'Größe überschritten'],
  ['', ''],
])('the pattern of the output %j is %j', (output, pattern) => {
  expect(outputPattern(output)).toBe(pattern);
});

test('outputs have the same fingerprint exactly if they have the same pattern', () => {
  const word = fc.constantFrom('HTTP', '502', '1.2s', 'web-1', 'db.example.com', ' ', ': ', '/', '-', '%', 'é');
  const output = fc.array(word, { maxLength: 8 }).map((words) => words.join(''));
  fc.assert(
    fc.property(output, output, (a, b) => {
      expect(outputFingerprint(a) === outputFingerprint(b)).toBe(outputPattern(a) === outputPattern(b));
    }),
  );
});

test('only the first 200 characters of an output are compared', () => {
  expect(outputPattern('x'.repeat(300))).toBe('x'.repeat(200));
});
