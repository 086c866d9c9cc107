import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import type { WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { DumpWriter } from '../../../tui/monctl/objects/write-objects.ts';
import { readObjects, type FileItem } from '../../../tui/monctl/objects/read-objects.ts';
import { splitDocuments } from '../../../tui/monctl/objects/split-documents.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** Yields the bytes of a text in chunks of these lengths, in rotation. */
async function* inPieces(text: string, lengths: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? bytes.length);
    yield bytes.subarray(at, end);
    at = end;
  }
}

async function read(text: string, lengths: readonly number[] = [65_536]): Promise<FileItem[]> {
  const items: FileItem[] = [];
  for await (const item of readObjects(inPieces(text, lengths), 'x')) items.push(item);
  return items;
}

async function names(text: string): Promise<string[]> {
  return (await read(text)).flatMap((item) => (item.kind === 'object' ? [String(item.object.metadata['name'])] : []));
}

function anObject(name: string, spec: WrappedObject['spec'] = {}): WrappedObject {
  return { type: 'CheckConfig', api_version: 'core/v2', metadata: { name }, spec };
}

test.each([
  [
    'YAML documents with separators',
    '---\ntype: A\nmetadata: {name: a}\nspec: {}\n---\ntype: B\nmetadata: {name: b}\nspec: {}\n',
  ],
  [
    'no separator before the first document',
    'type: A\nmetadata: {name: a}\nspec: {}\n--- # next\ntype: B\nmetadata: {name: b}\nspec: {}',
  ],
  [
    'empty documents and comments',
    '# x\n---\n---\ntype: A\nmetadata: {name: a}\nspec: {}\n...\n---\n# nothing\n---\ntype: B\nmetadata: {name: b}\nspec: {}\n---\n',
  ],
  [
    'Windows line ends',
    'type: A\r\nmetadata: {name: a}\r\nspec: {}\r\n---\r\ntype: B\r\nmetadata: {name: b}\r\nspec: {}\r\n',
  ],
  ['YAML in flow style', '{type: A, metadata: {name: a}, spec: {}}\n---\n{type: B, metadata: {name: b}, spec: {}}\n'],
  [
    'JSON objects one after the other',
    '{"type":"A","metadata":{"name":"a"},"spec":{}}\n\n{"type":"B","metadata":{"name":"b"},"spec":{}}',
  ],
  [
    'a JSON list',
    '[ {"type":"A","metadata":{"name":"a"},"spec":{}},\n{"type":"B","metadata":{"name":"b"},"spec":{}} ]',
  ],
  [
    'JSON with separators',
    '{"type":"A","metadata":{"name":"a"},"spec":{}}\n---\n{"type":"B","metadata":{"name":"b"},"spec":{}}',
  ],
  ['a byte order mark', '\uFEFFtype: A\nmetadata: {name: a}\nspec: {}\n---\ntype: B\nmetadata: {name: b}\nspec: {}\n'],
])('a file is split into its objects: %s', async (_what, text) => {
  expect(await names(text)).toEqual(['a', 'b']);
});

test('a document separator within a text does not split an object', async () => {
  const text = 'type: A\nmetadata: {name: a}\nspec:\n  output: |\n    ---\n    type: B\n    ...\n';
  expect(await read(text)).toMatchObject([{ object: { spec: { output: '---\ntype: B\n...\n' } } }]);
});

test.each([
  ['neither JSON nor YAML', 'type: [', /x: object 1 is neither JSON nor YAML/],
  ['an incomplete object', '{"type": "A"', /x: object 1 is neither/],
  ['text between objects', '{"type":"A","spec":{}} true', /expected an object at byte 23/],
  ['no type', 'spec: {}', /x: object 1 has no type/],
  ['no spec', 'type: A\nspec: {}\n---\ntype: B', /x: object 2 has no spec/],
  ['a list in YAML', '- a\n- b', /x: object 1 is not an object/],
])('an invalid object in a file is rejected with its number or position: %s', async (_what, text, message) => {
  await expect(read(text)).rejects.toThrow(message);
});

test.each(['\u2000', 'x\u3000', 'x\n', 'x\n\n\n', '\n', 'x\n \n', 'x\n\u2000\n'])(
  'a dump whose last value ends with %j is read as it was written',
  async (a) => {
    let text = '';
    const writer = new DumpWriter((piece) => Promise.resolve(void (text += piece)), 'yaml');
    await writer.begin();
    await writer.write([anObject('one', { a }), anObject('two', { a })]);
    await writer.end();
    const items = await read(text);
    expect(items.flatMap((item) => (item.kind === 'object' ? [item.object.spec] : []))).toEqual([{ a }, { a }]);
  },
);

test('every dump is read back as it was written, however it is split into chunks', async () => {
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('---', '...', '\n---\n', '# complete: 7 objects', 'yes', '1e3', '"', '\\', '{"a":', ''),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(
        fc.string({ minLength: 1, maxLength: 5 }).filter((name) => name !== '__proto__'),
        tie('any'),
        { maxKeys: 3 },
      ),
    ),
  })).any;
  const spec = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), value, { maxKeys: 4 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(spec, { maxLength: 4 }),
      fc.constantFrom('yaml' as const, 'wrapped-json' as const),
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
      async (specs, format, lengths) => {
        const objects = specs.map((one, at) => anObject(`o${String(at)}`, { ...one }));
        let text = '';
        const writer = new DumpWriter((piece) => Promise.resolve(void (text += piece)), format);
        await writer.begin();
        await writer.write(objects);
        await writer.end();
        const items = await read(text, lengths);
        expect(items.at(0)).toEqual({ kind: 'begin' });
        expect(items.at(-1)).toEqual({ kind: 'end', count: objects.length });
        const found = items.flatMap((item) => (item.kind === 'object' ? [item.object] : []));
        expect(JSON.parse(JSON.stringify(found))).toEqual(JSON.parse(JSON.stringify(objects)));
      },
    ),
    { numRuns: propertyRuns(60) },
  );
});

test('the reported offset of an object is its position in the file', async () => {
  const text = `\n\n${['a', 'ä', 'c'].map((name) => stringify(anObject(name))).join('---\n')}`;
  const bytes = Buffer.from(text);
  for await (const { offset, length, text: own } of splitDocuments(inPieces(text, [7]))) {
    expect(bytes.subarray(offset, offset + length).toString()).toBe(own);
  }
});
