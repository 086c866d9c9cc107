import { expect, test } from 'vitest';
import { isLinearizable, type Operation } from './linearizable.ts';

/** Times of the request and the response of an operation. */
type Times = readonly [begin: number, end: number];
const write = (value: string, [begin, end]: Times, member = 0): Operation => ({
  kind: 'write',
  value,
  begin,
  end,
  member,
});
const clear = (found: boolean, [begin, end]: Times, member = 0): Operation => ({
  kind: 'clear',
  found,
  begin,
  end,
  member,
});
const read = (value: string | undefined, [begin, end]: Times, member = 0): Operation => ({
  kind: 'read',
  value,
  begin,
  end,
  member,
});
const readAtWriter = (...given: Parameters<typeof read>): Operation => ({ ...read(...given), isAtWriter: true });

const FITS: Readonly<Record<string, readonly Operation[]>> = {
  'nothing at all': [],
  'one after the other': [write('a', [0, 1]), read('a', [2, 3]), clear(true, [4, 5]), read(undefined, [6, 7])],
  'a read beside a write shows what was there': [write('a', [0, 3]), read(undefined, [1, 2])],
  'a read beside a write shows what is written': [write('a', [0, 3]), read('a', [1, 2])],
  'two writes at once, in the order that reads tell': [
    write('a', [0, 9]),
    write('b', [0, 9]),
    read('b', [1, 2]),
    read('a', [3, 4]),
  ],
  'of two that clear at once one finds something': [write('a', [0, 1]), clear(true, [2, 5]), clear(false, [3, 4])],
  'nothing is found by one that clears beside a write': [write('a', [0, 5]), clear(false, [1, 2]), read('a', [6, 7])],
  'another backend does not know it yet': [write('a', [0, 1]), read(undefined, [2, 3], 1), read('a', [4, 5], 1)],
  'one backend is behind, another one is not': [
    write('a', [0, 1]),
    write('b', [2, 3]),
    read('b', [4, 5], 1),
    read('a', [4, 5], 2),
    read(undefined, [4, 5], 3),
  ],
  'what nobody knows of was done': [
    write('a', [0, 1]),
    write('b', [2, Infinity]),
    read('a', [3, 4]),
    read('b', [9, 10]),
  ],
  'what nobody knows of was not done': [write('a', [0, 1]), write('b', [2, Infinity]), read('a', [9, 10])],
  'what nobody knows of was done after others': [
    write('b', [0, Infinity]),
    write('a', [1, 2]),
    read('a', [3, 4]),
    read('b', [5, 6]),
  ],
  'something was cleared by one that was lost': [
    write('a', [0, 1]),
    clear(true, [2, Infinity]),
    read(undefined, [3, 4]),
  ],
  'one that was lost had nothing to clear': [clear(true, [0, Infinity]), write('a', [1, 2]), read('a', [3, 4])],
};

const FITS_NOT: Readonly<Record<string, readonly Operation[]>> = {
  'what nobody wrote': [read('a', [0, 1])],
  'a write that was acknowledged is lost': [write('a', [0, 1]), read(undefined, [2, 3])],
  'a write is undone by itself': [write('a', [0, 1]), write('b', [2, 3]), read('a', [4, 5])],
  'it is seen before it is asked for': [read('a', [0, 1]), write('a', [2, 3])],
  'reads go back': [write('a', [0, 9]), read('a', [1, 2]), read(undefined, [3, 4])],
  'reads through a backend that is behind go back': [
    write('a', [0, 1]),
    write('b', [2, 3]),
    read('b', [4, 5], 1),
    read('a', [6, 7], 1),
  ],
  'two backends saw two writes in two orders': [
    write('a', [0, 20]),
    write('b', [0, 20]),
    read('a', [1, 2], 1),
    read('b', [3, 4], 1),
    read('b', [1, 2], 2),
    read('a', [3, 4], 2),
  ],
  'a backend does not show what it has acknowledged itself': [write('a', [0, 1], 1), read(undefined, [2, 3], 1)],
  'the one that writes does not show what another one has acknowledged': [
    write('a', [0, 1], 1),
    readAtWriter(undefined, [2, 3]),
  ],
  'two that clear found the same': [write('a', [0, 1]), clear(true, [2, 5]), clear(true, [3, 4])],
  'nothing is found where something was acknowledged': [write('a', [0, 1]), clear(false, [2, 3], 1)],
  'it was cleared and is there': [write('a', [0, 1]), clear(true, [2, 3]), read('a', [4, 5])],
  'what nobody knows of was done twice': [
    write('a', [0, Infinity]),
    read('a', [1, 2]),
    clear(true, [3, 4]),
    read('a', [5, 6]),
  ],
  'what nobody knows of was done before it was asked for': [read('a', [0, 1]), write('a', [2, Infinity])],
};

test.each(Object.entries(FITS))('the history is linearizable: %s', (_, history) => {
  expect(isLinearizable(history)).toBe(true);
});

test.each(Object.entries(FITS_NOT))('the history is not linearizable: %s', (_, history) => {
  expect(isLinearizable(history)).toBe(false);
});

test('a long history with four clients is checked at once, even if it is not linearizable', { tags: 'slow' }, () => {
  const COUNT = 200;
  const writes = Array.from({ length: COUNT }, (_, at) => write(`v${String(at)}`, [at, at + 4], at % 3));
  const reads = Array.from({ length: COUNT }, (_, at) => read(`v${String(at)}`, [at + 1, at + 3], 3));
  expect(isLinearizable([...writes, ...reads])).toBe(true);
  expect(isLinearizable([...writes, ...reads, read('v0', [COUNT + 9, COUNT + 10], 3)])).toBe(false);
});
