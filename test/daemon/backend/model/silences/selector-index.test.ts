import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SelectorIndex, type IndexedSelector } from '../../../../../daemon/backend/model/silences/selector-index.ts';
import { Selectors, type SelectedCheck } from '../../../../../daemon/backend/model/silences/selectors.ts';
import { parseSelector, type SelectorSubject } from '../../../../../shared/domain/selector.ts';
import { silencedEntry } from '../../../../../shared/domain/silencing.ts';
import { propertyRuns } from '../../../../support/property-runs.ts';

const NAMES = ['web-1', 'web-12', 'WEB-dc1-17', 'db', 'disk', 'disk..sda', 'a.b'] as const;
const names = fc.constantFrom(...NAMES);
const patterns = fc.oneof(names, fc.constantFrom('web-*', '*-1*', 'w?b-*', '*', '??', 'DISK', '*..s*', 'b', '-dc1-'));
const term = fc
  .tuple(
    fc.constantFrom('client', 'check', 'subscriptions', 'env', 'client.env'),
    fc.constantFrom('=', '!=', '~'),
    patterns,
  )
  .map((parts) => parts.join(''));
const selector = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 3 },
    term,
    patterns.filter((word) => !/[*?]/.test(word)),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((nodes) => `(${nodes.join(' ')})`),
    fc.array(tie('node'), { minLength: 1, maxLength: 3 }).map((nodes) => `(${nodes.join(' or ')})`),
    tie('node').map((node) => `!${node}`),
  ),
})).node;
const subject = fc
  .record({ client: names, check: names, subscriptions: fc.array(names, { maxLength: 3 }), env: fc.option(names) })
  .map(({ client, check, subscriptions, env }): SelectorSubject => ({
    namespace: 'default',
    client,
    check,
    subscriptions,
    attribute: (owner, name) => (owner === 'client' && name === 'env' && env !== null ? [env] : []),
  }));

/** Returns a check with empty caches of selectors. */
function checkOf(about: SelectorSubject): SelectedCheck {
  const client = { selectors: undefined, subject: () => ({ ...about, check: '' }) };
  return { client, selectors: undefined, subject: () => about };
}

test('the selector index finds every selector that matches a check, in order, after any changes', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(selector, { maxLength: 30 }), { minLength: 1, maxLength: 3 }),
      fc.array(subject, { minLength: 1, maxLength: 5 }),
      fc.nat(),
      (rounds, subjects, removed) => {
        const selectors = new Selectors();
        const checks = subjects.map(checkOf);
        let texts: string[] = [];
        for (const round of rounds) {
          for (const text of round) {
            if (texts.includes(text)) continue;
            selectors.put(silencedEntry({ selector: text }, 0), text);
            texts.push(text);
          }
          const gone = texts.filter((_, at) => (at + removed) % 5 === 0);
          for (const text of gone) selectors.remove(silencedEntry({ selector: text }, 0).id);
          texts = texts.filter((text) => !gone.includes(text));
          for (const [at, about] of subjects.entries()) {
            const expected = texts.filter((text) => {
              const parsed = parseSelector(text);
              return parsed.kind === 'selector' && parsed.matches(about);
            });
            const check = checks[at];
            const found = check === undefined ? [] : selectors.matching(check);
            expect(found.map((entry) => entry.selector)).toEqual(expected);
            expect(selectors.matchingOnce(about).map((entry) => entry.selector)).toEqual(expected);
          }
        }
      },
    ),
    { numRuns: propertyRuns(300) },
  );
});

test('a lookup among ten thousand ordinary selectors evaluates only a few of them', () => {
  const selectors = new Selectors();
  let evaluated = 0;
  for (let at = 0; at < 10_000; at++) {
    const text = `client~web-*-N${String(at)}* env=prod check!=backup`;
    selectors.put(silencedEntry({ selector: text }, 0), text);
  }
  const about: SelectorSubject = {
    namespace: 'default',
    client: 'web-dc1-N1234',
    check: 'cpu',
    subscriptions: ['web'],
    attribute: () => {
      evaluated++;
      return ['prod'];
    },
  };
  expect(selectors.matching(checkOf(about)).map((entry) => entry.selector)).toEqual(
    [1, 12, 123, 1234].map((at) => `client~web-*-N${String(at)}* env=prod check!=backup`),
  );
  expect(evaluated).toBeLessThan(50);
});

test.each([
  ['a check', (at: number) => `check=cpu client=web-${String(at)}`],
  ['a client', (at: number) => `client=web-7 check=cpu-${String(at)}`],
])('selectors that all name the same value for %s are found by the other name that they contain', (_what, text) => {
  const index = new SelectorIndex<IndexedSelector>();
  const items = Array.from({ length: 1000 }, (_, at): IndexedSelector => {
    const read = parseSelector(text(at));
    if (read.kind !== 'selector') throw new Error(read.message);
    return { number: at + 1, selector: read, isRemoved: false };
  });
  for (const item of items) index.add(item);
  const check = text(7).startsWith('check=cpu ') ? 'cpu' : 'cpu-7';
  const about: SelectorSubject = {
    namespace: 'default',
    client: 'web-7',
    check,
    subscriptions: [],
    attribute: () => [],
  };
  const found = (): readonly string[] => index.candidates(about).map((item) => item.selector.text);
  expect(found()).toContain(text(7));
  expect(found().length).toBeLessThan(5);
  for (const item of items.slice(8)) index.remove(item);
  expect(found()).toContain(text(7));
  for (const item of items.slice(0, 8)) index.remove(item);
  expect(found()).toEqual([]);
});

test('the selector index uses the longer of two equally rare texts in a selector as the key', () => {
  const index = new SelectorIndex<IndexedSelector>();
  const read = parseSelector('client~abc client~abcdef');
  if (read.kind !== 'selector') throw new Error(read.message);
  index.add({ number: 1, selector: read, isRemoved: false });
  const candidatesOf = (client: string): number =>
    index.candidates({ namespace: 'default', client, check: 'disk', subscriptions: [], attribute: () => [] }).length;
  expect(candidatesOf('xabc')).toBe(0);
  expect(candidatesOf('xabcdef')).toBe(1);
});

test('the selector index finds a selector with two equal alternatives only once', () => {
  const text = 'subscriptions=web or subscriptions=web';
  const selectors = new Selectors();
  selectors.put(silencedEntry({ selector: text }, 0), text);
  const about: SelectorSubject = {
    namespace: 'default',
    client: 'web-1',
    check: 'disk',
    subscriptions: ['web'],
    attribute: () => [],
  };
  expect(selectors.matchingOnce(about).map((entry) => entry.selector)).toEqual([text]);
});

test('selectors that are added or removed during a lookup are neither lost nor found twice', () => {
  const selectors = new Selectors();
  const put = (at: number): void => {
    const text = `!client=nobody-${String(at)}`;
    selectors.put(silencedEntry({ selector: text }, 0), text);
  };
  for (let at = 0; at < 1000; at++) put(at);
  const check = checkOf({ namespace: 'default', client: 'a', check: 'b', subscriptions: [], attribute: () => [] });
  const steps = selectors.prepare(check);
  for (let at = 1000; steps.next().done !== true; at++) {
    put(at);
    selectors.remove(silencedEntry({ selector: `!client=nobody-${String(at - 1000)}` }, 0).id);
  }
  const found = selectors.matching(check).map(({ id }) => id);
  expect(found).toHaveLength(1000);
  expect(new Set(found).size).toBe(1000);
});
