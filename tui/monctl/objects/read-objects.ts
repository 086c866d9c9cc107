import { createReadStream } from 'node:fs';
import { readWrapped, type WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError, errorMessage } from '../../../shared/errors.ts';
import { parseStructure } from '../input.ts';
import { splitDocuments, type DocumentText } from './split-documents.ts';
import { isBegin, isEnd, BEGIN_LINE, END_LINE } from './dump-marks.ts';

/** An item of a file of objects: an object, or the marker at the beginning or end of a dump. */
export type FileItem =
  | { readonly kind: 'object'; readonly object: WrappedObject; readonly document: DocumentText }
  /** The begin marker that `monctl dump` writes; a file with this marker must have an end marker too. */
  | { readonly kind: 'begin' }
  | { readonly kind: 'end'; readonly count: number };

/**
 * Yields the objects and markers of a file, one at a time.
 *
 * @param said the name of the file in error messages
 * @throws MonError `invalid` that names the object that cannot be read
 */
export async function* readObjects(
  chunks: AsyncIterable<Uint8Array>,
  said: string,
): AsyncGenerator<FileItem, void, undefined> {
  let number = 0;
  for await (const document of splitDocuments(chunks)) {
    yield* findMarkers(document.text);
    if (!HAS_CONTENT.test(document.text)) continue;
    number++;
    const object = await readObject(document.text, `${said}: object ${String(number)}`);
    if (isBegin(object)) yield { kind: 'begin' };
    else if (isEnd(object)) yield { kind: 'end', count: Number(object.spec['objects']) };
    else yield { kind: 'object', object, document };
  }
}

/** Matches a line that is neither empty nor a comment nor a document marker. */
const HAS_CONTENT = /^(?!\s*(?:#|$)|(?:---|\.\.\.)\s*(?:#|$)).+/m;

/** Yields the begin and end markers in a YAML text. They are comments, which other programs that read YAML ignore. */
function* findMarkers(text: string): Iterable<FileItem> {
  if (BEGIN_LINE.test(text)) yield { kind: 'begin' };
  const count = END_LINE.exec(text)?.[1];
  if (count !== undefined) yield { kind: 'end', count: Number(count) };
}

/**
 * Parses the text of one object.
 *
 * @throws MonError `invalid` when the text is not an object of the form {type, api_version, metadata, spec}
 */
export async function readObject(text: string, said: string): Promise<WrappedObject> {
  const object = readWrapped(await parseStructure(text, said));
  if ('problem' in object) throw new MonError('invalid', `${said} ${object.problem}`);
  return object;
}

export function openFile(path: string): AsyncIterable<Uint8Array> {
  const stream = createReadStream(path, { highWaterMark: 256 * 1024 });
  return (async function* read(): AsyncGenerator<Uint8Array, void> {
    try {
      for await (const chunk of stream) yield chunk as Uint8Array;
    } catch (error) {
      throw new MonError('invalid', `${path} cannot be read: ${errorMessage(error)}`, { cause: error });
    }
  })();
}
