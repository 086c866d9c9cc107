import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  JsonChunksError,
  OBJECT_NAMES_MAX,
  parseJsonInChunks,
  TEXT_LENGTH_MAX,
  BODY_VALUES_MAX,
  type ChunkedJson,
  type ChunkOptions,
} from '../../../shared/domain/json-chunks.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const OPTIONS: ChunkOptions = { depthMax: 32, inspect: () => undefined, strictly: () => undefined };

function parse(text: string, options: Partial<ChunkOptions> = {}): ChunkedJson {
  const steps = parseJsonInChunks(text, { ...OPTIONS, ...options });
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** Returns the value that was read, or `no JSON` if reading failed. */
function outcomeOf(read: () => unknown): unknown {
  try {
    return { value: read() };
  } catch {
    return 'no JSON';
  }
}

const strictly = (text: string): unknown => (text.includes('1.0') ? JSON.parse(text.replace('1.0', '1.5')) : undefined);

describe('JSON that is parsed in chunks', () => {
  test('JSON that is parsed in chunks yields the same value for any chunk length', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5 }).map((text) => (text.includes('__proto__') ? '{}' : text)),
        fc.constantFrom('', ' ', '\n\t '),
        fc.integer({ min: 1, max: 20 }),
        (text, space, chunk) => {
          const spaced = JSON.stringify(JSON.parse(text), null, space);
          expect(parse(`${space}${spaced}${space}`, { chunk }).value).toEqual(JSON.parse(spaced));
        },
      ),
      { numRuns: propertyRuns(500) },
    );
  });

  test('JSON that is parsed in chunks is rejected if and only if parsing the text at once rejects it', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 4 }).filter((text) => !text.includes('__proto__')),
        fc.nat(),
        fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', '1', ' ', '[]', '{}'),
        fc.integer({ min: 0, max: 1 }),
        fc.integer({ min: 1, max: 8 }),
        (text, place, written, removed, chunk) => {
          const at = place % (text.length + 1);
          const broken = text.slice(0, at) + written + text.slice(at + removed);
          const expected = outcomeOf(() => JSON.parse(broken));
          expect(outcomeOf(() => parse(broken, { chunk, depthMax: 1000 }).value)).toEqual(expected);
        },
      ),
      { numRuns: propertyRuns(2000) },
    );
  });

  test('JSON that is parsed in chunks keeps the last of several object members with the same name', () => {
    const text = '{"a":[1,2,3,4],"b":1,"a":[5,6,7,8]}';
    expect(parse(text, { chunk: 4 }).value).toEqual({ a: [5, 6, 7, 8], b: 1 });
  });

  test('JSON that is parsed in chunks may contain control characters in its texts', () => {
    expect(parse('["a\nb", [1, "c\u0001d"]]', { chunk: 3 }).value).toEqual(['a\nb', [1, 'c\u0001d']]);
  });

  test('JSON that is parsed in chunks has a second, strict value only where a part is parsed strictly', () => {
    const { value, strict } = parse('[[1.0,2,3],{"a":[4,5,6]}]', { chunk: 4, strictly });
    expect(value).toEqual([[1, 2, 3], { a: [4, 5, 6] }]);
    expect(strict).toEqual([[1.5, 2, 3], { a: [4, 5, 6] }]);
    const whole = parse('[[1,2,3],{"a":[4,5,6]}]', { chunk: 4, strictly });
    expect(whole.strict).toBe(whole.value);
  });

  test.each<[title: string, text: string, options: Partial<ChunkOptions>, message: string]>([
    ['is nested too deeply', '['.repeat(100_000), {}, 'is nested deeper than 32 levels'],
    [
      'is nested one level too deeply',
      `${'['.repeat(33)}${']'.repeat(33)}`,
      { chunk: 1 },
      'is nested deeper than 32 levels',
    ],
    [
      'has too many values',
      `[${'1,'.repeat(BODY_VALUES_MAX + 50_000)}1]`,
      {},
      'has more than 1,000,000 values: send it in parts',
    ],
    [
      'has a text that is too long',
      `["${'x'.repeat(TEXT_LENGTH_MAX + 1)}"]`,
      {},
      'has a text of more than 1,048,576 characters: shorten it',
    ],
    [
      'has too many names in an object',
      JSON.stringify(
        Object.fromEntries(Array.from({ length: OBJECT_NAMES_MAX + 1 }, (_, at) => [`name-${String(at)}`, at])),
      ),
      {},
      'has an object of more than 10,000 names: send fewer',
    ],
  ])('JSON that is parsed in chunks is rejected if it %s', (_title, text, options, message) => {
    expect(() => parse(text, options)).toThrow(new JsonChunksError(message));
  });

  test('JSON that is parsed in chunks may have as many levels as the limit', () => {
    const text = `${'['.repeat(32)}${']'.repeat(32)}`;
    expect(parse(text, { chunk: 1 }).value).toEqual(JSON.parse(text));
  });

  test('JSON that is parsed in chunks counts an escape as one character of a text', () => {
    expect(parse(`["${'\\u0001'.repeat(TEXT_LENGTH_MAX)}"]`).value).toEqual(['\u0001'.repeat(TEXT_LENGTH_MAX)]);
  });
});
