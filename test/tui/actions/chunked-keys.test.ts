import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { SCENE } from '../../support/console-scene.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** Keys that a person types, as the characters that the terminal sends. */
const TYPED = ['j', 'jjj', ':3\r', 'k', 'G', 'g', ' ', 'V', 'a', 'A', 'j\r', '\r', 'o', 'O', 'x', '?', 's', 'q', 'é'];
const SEQUENCES = ['\u001B[B', '\u001B[5~', '\u001BOP', '\u001B[1;5A', '\u001B[200~r\ny\n\u001B[201~', '\u0004'];
const keys = fc.constantFrom(...TYPED, ...SEQUENCES);

function stateAfter(chunks: readonly string[]): unknown {
  const driver = new ConsoleDriver().goLive(SCENE);
  for (const chunk of chunks) driver.type(chunk);
  driver.clock.advance(1000);
  driver.frame();
  // JSON omits the functions of menus, which are new objects each time.
  return JSON.parse(
    JSON.stringify({ state: driver.store.state, effects: driver.store.takeEffects() }, (_key, value: unknown) =>
      value instanceof Set || value instanceof Map ? [...value] : value,
    ),
  );
}

test('the console ends in the same state however the terminal splits the keys into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(keys, { maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
      (typed, sizes) => {
        const all = typed.join('');
        const chunks: string[] = [];
        for (let start = 0, index = 0; start < all.length; index += 1) {
          const size = sizes[index % sizes.length] ?? 1;
          chunks.push(all.slice(start, start + size));
          start += size;
        }
        expect(stateAfter(chunks)).toEqual(stateAfter([all]));
      },
    ),
    // The help covers the timeline, which is still loaded.
    { numRuns: propertyRuns(200), examples: [[['x', 'x', '\r', '\u001BOP'], [1]]] },
  );
});

test('a filter that arrives in one chunk shows the same rows as a filter that is typed key by key', () => {
  const [whole, byHand] = [['/http\r'], Array.from('/http\r')].map((chunks) => {
    const driver = new ConsoleDriver().goLive(SCENE);
    for (const chunk of chunks) driver.type(chunk);
    return driver.list;
  });
  expect(whole).toHaveLength(3);
  expect(whole).toEqual(byHand);
});

test('two hundred keys in one chunk count as two hundred keys', () => {
  const driver = new ConsoleDriver().goLive(SCENE);
  driver.type('jk'.repeat(95) + 'j'.repeat(10));
  expect(driver.store.list.cursor.index).toBe(10);
});

test('a paste with line ends executes no command of the console', () => {
  const driver = new ConsoleDriver().goLive(SCENE);
  driver.store.takeEffects();
  driver.type('\u001B[200~r\ry\rq\r\u001B[201~');
  expect(driver.store.state.layers).toEqual([]);
  expect(driver.store.takeEffects()).toEqual([]);
});
