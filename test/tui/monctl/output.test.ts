import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { openOutput } from '../../../tui/monctl/output.ts';
import type { OutputStream } from '../../../tui/monctl/output.ts';
import { recordText, tableText } from '../../../tui/monctl/table.ts';
import type { Column } from '../../../tui/monctl/table.ts';
import { cellWidth } from '../../../tui/terminal/cells.ts';

const PIPE = { width: undefined, color: false, raw: false };

interface Pair {
  readonly name: string;
  readonly text: string;
}

const COLUMNS: readonly Column<Pair>[] = [
  { title: 'NAME', text: ({ name }) => name, style: () => 'red' },
  { title: 'N', align: 'right', text: ({ name }) => String(name.length) },
  { title: 'TEXT', text: ({ text }) => text },
];

class Recorder implements OutputStream {
  readonly isTTY: boolean;
  readonly columns = 80;
  written = '';

  constructor({ isTTY }: { readonly isTTY: boolean }) {
    this.isTTY = isTTY;
  }

  write(text: string): void {
    this.written += text;
  }

  hasColors(): boolean {
    return true;
  }
}

async function outputText(format: string, value: unknown): Promise<string> {
  const stdout = new Recorder({ isTTY: false });
  await openOutput({ format, raw: false }, stdout, new Recorder({ isTTY: false })).show(value, () => 'text');
  return stdout.written;
}

test('monctl aligns table columns by the width of the characters in cells', () => {
  const rows = [
    { name: 'web', text: 'a' },
    { name: '監視', text: 'b' },
    { name: 'a\nb\u001b[31m', text: 'c' },
  ];
  expect(tableText(COLUMNS, rows, PIPE).split('\n')).toEqual([
    'NAME  N  TEXT',
    'web   3  a',
    '監視  2  b',
    'a b   8  c',
  ]);
});

test('a monctl table with --no-headers has no titles, and its columns stay aligned', () => {
  const rows = [
    { name: 'web', text: 'a' },
    { name: 'db', text: 'b' },
  ];
  expect(tableText(COLUMNS, rows, { ...PIPE, headers: false }).split('\n')).toEqual(['web   3  a', 'db    2  b']);
});

test('no line of a monctl table is wider than the terminal, whatever its texts contain', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 60 });
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.string({ maxLength: 20 }), text })), (rows) => {
      const lines = tableText(COLUMNS, rows, { width: 80, color: true, raw: false }).split('\n');
      expect(lines).toHaveLength(rows.length + 1);
      for (const line of lines) expect(cellWidth(stripVTControlCharacters(line))).toBeLessThanOrEqual(80);
    }),
  );
});

test('a monctl table has colors only if colors are requested', () => {
  const rows = [{ name: 'web', text: 'a' }];
  expect(tableText(COLUMNS, rows, { ...PIPE, color: true })).toContain('\u001b[31mweb \u001b[39m');
  expect(tableText(COLUMNS, rows, PIPE)).not.toContain('\u001b');
});

test('monctl prints the values of a single object below each other', () => {
  expect(
    recordText(
      [
        ['id', '7'],
        ['client', 'a\u0007b'],
        ['reason', ''],
      ],
      PIPE,
    ),
  ).toMatch(/^id {6}7\nclient {2}a\S+b\nreason$/);
});

test('monctl uses the width and colors of a terminal, and neither in a pipe', () => {
  const streams = { terminal: new Recorder({ isTTY: true }), pipe: new Recorder({ isTTY: false }) };
  const look = (stdout: Recorder): unknown => openOutput({ format: 'table', raw: false }, stdout, streams.pipe).look;
  expect(look(streams.terminal)).toEqual({ width: 80, color: true, raw: false });
  expect(look(streams.pipe)).toEqual({ width: undefined, color: false, raw: false });
  const options = { format: 'table', raw: false, headers: false };
  expect(openOutput(options, streams.pipe, streams.pipe).look).toMatchObject({ headers: false });
});

/** Returns the text that an output for an ASCII locale writes. */
async function writtenInAscii(isTTY: boolean, format: string): Promise<string> {
  const stdout = new Recorder({ isTTY });
  const output = openOutput({ format, raw: false, ascii: true }, stdout, stdout);
  await output.show('監', () => 'web-eu-w… ✗ 監');
  await output.showNext('監', () => '監 ✓');
  output.warn('• café');
  return stdout.written;
}

test('monctl prints ASCII on a terminal without UTF-8, and the unchanged text into a pipe', async () => {
  expect(await writtenInAscii(true, 'table')).toBe('web-eu-w. X ??\n?? .\n* caf?\n');
  expect(await writtenInAscii(false, 'table')).toBe('web-eu-w… ✗ 監\n監 ✓\n• café\n');
  expect(await writtenInAscii(true, 'json')).toBe('"監"\n"監"\n* caf?\n');
});

test('monctl rejects raw output on a terminal and an unknown output format', () => {
  const terminal = new Recorder({ isTTY: true });
  expect(() => openOutput({ format: 'table', raw: true }, terminal, terminal)).toThrow(
    /--raw cannot be used on a terminal/,
  );
  expect(() => openOutput({ format: 'xml', raw: false }, terminal, terminal)).toThrow(
    '--output must be table, json, yaml, jsonpath=PATH, not "xml"',
  );
});

test('monctl leaves out notes when a program reads the output', () => {
  const stderr = new Recorder({ isTTY: false });
  openOutput({ format: 'json', raw: false }, stderr, stderr).note('2 of 5');
  openOutput({ format: 'table', raw: false }, stderr, stderr).note('a\u0007b');
  expect(stderr.written).toMatch(/^a[^\u0007]+b\n$/);
});

test('monctl writes a warning to stderr even when a program reads the output', () => {
  const stderr = new Recorder({ isTTY: false });
  openOutput({ format: 'json', raw: false }, stderr, stderr).warn('a\u0007b');
  expect(stderr.written).toMatch(/^a[^\u0007]+b\n$/);
});

test('monctl waits for a slow reader while it prints many results', async () => {
  const written: string[] = [];
  let drained: (() => void) | undefined;
  const stdout: OutputStream = {
    write: (text) => {
      written.push(text);
      return false;
    },
    once: (_event, listener) => (drained = listener),
  };
  const output = openOutput({ format: 'json', raw: false }, stdout, stdout);
  const two = (async () => {
    await output.showNext(1, () => '');
    await output.showNext(2, () => '');
  })();
  await vi.waitFor(() => expect(drained).toBeDefined());
  expect(written).toEqual(['1\n']);
  drained?.();
  await vi.waitFor(() => expect(written).toEqual(['1\n', '2\n']));
  drained?.();
  await two;
});

test('the JSON and YAML output of monctl parse back to the value and contain no control character', async () => {
  const value = fc
    .json({ stringUnit: 'binary' })
    // Excludes negative zero, which only YAML has, and `__proto__`, which is no field name of `mon`.
    .filter((text) => !text.includes('__proto__') && !text.includes('-0'))
    .map((text): unknown => JSON.parse(text));
  await fc.assert(
    fc.asyncProperty(value, async (answer) => {
      const [asJson, asYaml] = [await outputText('json', answer), await outputText('yaml', answer)];
      expect(JSON.parse(asJson)).toEqual(answer);
      expect(parse(asYaml)).toEqual(answer);
      expect(asJson + asYaml).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }),
  );
});

test('the YAML output of monctl quotes values that older parsers misread', async () => {
  expect(await outputText('yaml', { answer: 'yes', day: '2026-11-20', text: 'a\nb' })).toBe(
    'answer: "yes"\nday: "2026-11-20"\ntext: |-\n  a\n  b\n',
  );
});
