import { randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import { MonError, errorMessage } from '../../../shared/errors.ts';
import { toJson, toYaml } from '../output.ts';
import { BEGIN_TEXT, beginObject, endObject, endText } from './dump-marks.ts';

export const DUMP_FORMATS = ['yaml', 'wrapped-json'] as const;
export type DumpFormat = (typeof DUMP_FORMATS)[number];

/** Function that writes a text and resolves when more text can be written. */
export type TextSink = (text: string) => Promise<void>;

/** Writes a dump with its begin and end markers. */
export class DumpWriter {
  count = 0;
  readonly #sink: TextSink;
  readonly #format: DumpFormat;

  constructor(sink: TextSink, format: DumpFormat) {
    this.#sink = sink;
    this.#format = format;
  }

  begin(): Promise<void> {
    return this.#sink(this.#format === 'yaml' ? BEGIN_TEXT : `${toJson(beginObject())}\n`);
  }

  /**
   * Writes the objects as one text, which is faster than a write for each object, because each write waits for the
   * previous write.
   */
  async write(objects: readonly WrappedObject[]): Promise<void> {
    if (objects.length === 0) return;
    this.count += objects.length;
    let text = '';
    for (const object of objects) {
      text += this.#format === 'yaml' ? `---\n${await toYaml(object)}\n` : `${toJson(object)}\n`;
    }
    await this.#sink(text);
  }

  end(): Promise<void> {
    return this.#sink(this.#format === 'yaml' ? endText(this.count) : `${toJson(endObject(this.count))}\n`);
  }
}

/**
 * Writes a file that only its owner can read. The file gets its name only when it is complete.
 *
 * @throws MonError `invalid` when the file cannot be created
 */
export async function writeAtomically(path: string, write: (sink: TextSink) => Promise<void>): Promise<void> {
  const draft = join(dirname(path), `.${randomUUID()}.tmp`);
  const file = await open(draft, 'wx', 0o600).catch((error: unknown) => {
    throw new MonError('invalid', `${path} cannot be written: ${errorMessage(error)}`, { cause: error });
  });
  try {
    try {
      await write(async (text) => void (await file.write(text)));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
