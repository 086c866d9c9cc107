import { describe, expect, test } from 'vitest';
import { parseJsonPath, selectValues } from '../../../tui/monctl/json-path.ts';
import { Flags } from '../../../tui/monctl/flags.ts';
import { chosenColumns, csvText, sortRows, type RowList } from '../../../tui/monctl/rows.ts';
import { openOutput } from '../../../tui/monctl/output.ts';

const DATA = { a: { 'b c': [1, { d: 'x' }, { d: 'y' }] }, list: [{ id: 1 }, { id: 2 }] };

describe('paths into JSON', () => {
  test.each([
    ['.a', [DATA.a]],
    ['a', [DATA.a]],
    ['$.list[0].id', [1]],
    ['{.list[*].id}', [1, 2]],
    ['.list[-1].id', [2]],
    [".a['b c'][1].d", ['x']],
    ['.a["b c"][*].d', ['x', 'y']],
    ['.list.*.id', [1, 2]],
    ['.', [DATA]],
    ['.none.at.all', []],
    ['.list[9]', []],
    ['.toString', []],
    ['.list.length', []],
  ])('the path %s selects the expected values', (path, values) => {
    expect(selectValues(DATA, parseJsonPath(path))).toEqual(values);
  });

  test.each(['.a[', '.a[x]', '..a', '.a[?(@.b)]', '.a b', '[0]a'])(
    'the path %s is rejected with the position',
    (path) => {
      expect(() => parseJsonPath(path)).toThrow(/is not a path from character \d+ on: write a path such as/);
    },
  );
});

interface Row {
  readonly name: string;
  readonly age: number;
  readonly rack?: string;
}

const LIST: RowList<Row> = {
  columns: () => [
    { title: 'NAME', text: ({ name }) => name },
    { title: 'LAST SEEN', text: ({ age }) => `${String(age)}m` },
    { title: 'ID', text: ({ name }) => `id-${name}`, isWide: true },
  ],
  key: ({ name }) => name,
};

const ROWS: readonly Row[] = [
  { name: 'b', age: 90, rack: 'r20' },
  { name: 'a', age: 100 },
  { name: 'c', age: 9, rack: 'r3' },
];

function call(flags: Record<string, string>, format = 'table') {
  const output = openOutput({ format, raw: false, hasRows: true }, { write: () => true }, { write: () => true });
  return { flags: new Flags(flags), output, nowMs: 0 };
}

const titles = (flags: Record<string, string>, format?: string): readonly string[] =>
  chosenColumns(call(flags, format), LIST, 0, ROWS).map(({ title }) => title);

const sorted = (sort: string): string =>
  sortRows(call({ sort }), LIST, ROWS)
    .map(({ name }) => name)
    .join('');

describe('the rows of a list', () => {
  test('--sort compares durations and numbers by value, and a dash reverses the order', () => {
    expect([sorted('name'), sorted('-name'), sorted('last-seen'), sorted('-last-seen'), sorted('age')]).toEqual([
      'abc',
      'cba',
      'cba',
      'abc',
      'cba',
    ]);
  });

  test('--sort puts items without the attribute last, in both orders', () => {
    expect([sorted('rack'), sorted('-rack')]).toEqual(['bca', 'cba']);
  });

  test('wide columns are shown with --output wide, or if --columns names them', () => {
    expect(titles({})).toEqual(['NAME', 'LAST SEEN']);
    expect(titles({}, 'wide')).toEqual(['NAME', 'LAST SEEN', 'ID']);
    expect(titles({ columns: 'id,rack,Last-Seen' })).toEqual(['ID', 'RACK', 'LAST SEEN']);
  });
});

describe('CSV', () => {
  const columns = [
    { title: 'A', text: (row: readonly string[]) => row[0] ?? '' },
    { title: 'LAST SEEN', text: (row: readonly string[]) => row[1] ?? '' },
  ];
  const look = { raw: false };

  test('cells with commas, quotes and line breaks are quoted as in RFC 4180', () => {
    expect(csvText(columns, [['a,b', 'say "x"']], look)).toBe('a,last-seen\n"a,b","say ""x"""');
    expect(csvText(columns, [['a\nb', '']], { raw: true, headers: false })).toBe('"a\nb",');
  });

  test.each([
    ['=1+1', "'=1+1"],
    ['+cmd', "'+cmd"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['-5', '-5'],
    ['+1.5', '+1.5'],
    ['-', '-'],
    ['a=b', 'a=b'],
  ])('a spreadsheet does not run the cell %s as a formula', (text, cell) => {
    expect(csvText(columns, [[text, '']], { ...look, headers: false })).toBe(`${cell},`);
  });

  test('control characters are escaped', () => {
    expect(csvText(columns, [['\u001b[31mred', '']], { ...look, headers: false })).not.toContain('\u001b');
  });
});
