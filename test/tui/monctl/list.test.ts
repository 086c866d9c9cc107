import { expect, test } from 'vitest';
import { systemFeedClock } from '../../../shared/client/feed-clock.ts';
import { MonError } from '../../../shared/errors.ts';
import type { CommandCall } from '../../../tui/monctl/command.ts';
import { Flags } from '../../../tui/monctl/flags.ts';
import { showList } from '../../../tui/monctl/list.ts';
import { openOutput } from '../../../tui/monctl/output.ts';
import type { ListUpdate } from '../../../tui/monctl/poll.ts';

interface Item {
  readonly name: string;
  readonly value: number;
}

/** Returns the texts that a watched list writes for these states, one for each write, and its notes. */
async function watched(
  sights: readonly ListUpdate<Item>[],
  { rows, isTTY, format = 'table', limit = '9' }: { rows?: number; isTTY: boolean; format?: string; limit?: string },
): Promise<{ written: readonly string[]; notes: readonly string[] }> {
  const written: string[] = [];
  const notes: string[] = [];
  const stdout = {
    isTTY,
    columns: 20,
    ...(rows !== undefined && { rows }),
    write: (text: string) => written.push(text),
  };
  const call: CommandCall = {
    operands: [],
    trailingArgs: [],
    flags: new Flags({ watch: true, limit }),
    api: () => {
      throw new Error('nothing is asked');
    },
    v2: () => {
      throw new Error('nothing is asked');
    },
    namespace: undefined,
    credentials: {},
    backend: 'http://mon',
    output: openOutput({ format, raw: false }, stdout, { write: (text: string) => notes.push(text) }),
    env: {},
    runProgram: () => Promise.resolve(0),
    readInput: () => Promise.resolve(''),
    ask: undefined,
    clock: systemFeedClock,
    nowMs: 0,
  };
  const watching = showList<Item>(call, {
    noun: 'things',
    columns: () => [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'VALUE', align: 'right', text: ({ value }) => String(value) },
    ],
    key: ({ name }) => name,
    comparedPart: ({ value }) => value,
    fetch: () => Promise.resolve([]),
    async *follow() {
      yield* sights;
      throw new MonError('unavailable', 'the end');
    },
  });
  await expect(watching).rejects.toThrow('the end');
  return { written, notes };
}

const A: Item = { name: 'a', value: 1 };
const B: Item = { name: 'b\tb', value: 2 };

function seen(...items: readonly Item[]): ListUpdate<Item> {
  return { items, trouble: undefined };
}

test('a watched list redraws a terminal only when its content changed', async () => {
  const { written } = await watched([seen(A), seen(A), seen({ ...A }), seen(A, B)], { isTTY: true, rows: 6 });
  expect(written).toHaveLength(2);
  // The first frame scrolls the old screen up. Then each line is cleared to its end, and the screen below the list.
  expect(written[0]).toBe(
    '\n'.repeat(6) +
      '\u001b[?7l\u001b[H1 thing\u001b[K\r\nNAME  VALUE\u001b[K\r\na     1\u001b[K\r\n\u001b[J\u001b[?7h',
  );
  expect(written[1]).toMatch(/^\u001b\[\?7l\u001b\[H2 things\u001b\[K/);
});

test('a watched list counts the rows that do not fit on the terminal', async () => {
  const items = Array.from({ length: 9 }, (_, at) => ({ name: `n-${String(at)}`, value: at }));
  const { written } = await watched([seen(...items)], { isTTY: true, rows: 6 });
  expect(written[0]).toContain('n-1   1\u001b[K\r\n... 7 more lines\u001b[K\r\n\u001b[J');
});

test('a watched list keeps its last state while the backend is unavailable, and says why', async () => {
  const { written } = await watched(
    [{ items: undefined, trouble: 'cannot reach\u001b[2J it' }, seen(A), { items: [A], trouble: 'cannot reach it' }],
    { isTTY: true, rows: 6 },
  );
  expect(written.map((text) => /\u001b\[H([^\r]*)\u001b\[K/.exec(text)?.[1])).toEqual([
    expect.stringMatching(/^cannot reach[^\u001b]* it$/),
    '1 thing',
    '1 thing; last known state: cannot reach it',
  ]);
});

test('a watched list in a pipe prints the current rows and each change, with cells separated by tabs', async () => {
  const { written, notes } = await watched(
    [
      seen(A, B),
      seen(A, B),
      seen({ ...A, value: 9 }, B),
      { items: [B], trouble: 'away' },
      { items: [B], trouble: 'away' },
    ],
    { isTTY: false },
  );
  expect(written.join('')).toBe('+\ta\t1\n+\tb b\t2\n~\ta\t9\n-\ta\t9\n');
  expect(notes).toEqual(['away\n']);
});

test('a watched list reports an unavailable backend once per outage, even if a program reads the output', async () => {
  const away = { items: [A], trouble: 'away' };
  const { notes } = await watched([seen(A), away, away, seen(A), away], { isTTY: false, format: 'json' });
  expect(notes).toEqual(['away\n', 'away\n']);
});

test('a watched list prints one JSON value per line, even on a terminal', async () => {
  const { written } = await watched([seen(A), seen()], { isTTY: true, format: 'json' });
  expect(written).toEqual([
    '{"change":"added","key":"a","value":{"name":"a","value":1}}\n',
    '{"change":"removed","key":"a","value":{"name":"a","value":1}}\n',
  ]);
});

test('a watched list with a limit reports rows that move beyond the limit as removed', async () => {
  const { written } = await watched([seen(A), seen(B, A)], { isTTY: false, format: 'json', limit: '1' });
  expect(written.map((line) => (JSON.parse(line) as { change: string; key: string }).change)).toEqual([
    'added',
    'removed',
    'added',
  ]);
});
