import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { MonError, errorMessage } from '../../shared/errors.ts';
import type { CommandCall } from './command.ts';
import { valueOption, type CommandOption } from './flags.ts';

/** Maximum size of an input file or of standard input, in bytes. The backend has the same limit. */
const INPUT_BYTES_MAX = 10 * 1024 * 1024;

export const FILE_OPTION: CommandOption = valueOption(
  'FILE',
  'read from this JSON or YAML file ("-": standard input)',
  {
    completes: 'file',
    short: 'f',
  },
);

/**
 * Parses the file that `--file` names as YAML, which includes JSON.
 *
 * @returns `undefined` if the option was not given
 * @throws MonError `invalid` or `too_large`, with the name of the file
 */
export async function readFileOption(call: Pick<CommandCall, 'flags' | 'readInput'>): Promise<unknown> {
  const name = call.flags.value('file');
  return name === undefined ? undefined : readStructure(call, name, `--file ${name}`);
}

/**
 * Parses the file of this name, or standard input for `-`, as YAML, which includes JSON.
 *
 * @param label the name of the file in the message when it cannot be read
 * @throws MonError `invalid`, `too_large`
 */
export async function readStructure(
  call: Pick<CommandCall, 'readInput'>,
  name: string,
  label = name,
): Promise<unknown> {
  return parseStructure(await readText(call, name, label), name === '-' ? 'standard input' : name);
}

/**
 * Reads the file of this name, or standard input for `-`, as text.
 *
 * @throws MonError `invalid` when the file cannot be read, `too_large`
 */
export function readText(call: Pick<CommandCall, 'readInput'>, name: string, label = name): Promise<string> {
  return name === '-' ? call.readInput() : readFile(name, label);
}

/**
 * Reads a stream to its end, as UTF-8 text.
 *
 * @throws MonError `too_large` when the stream is longer than `INPUT_BYTES_MAX`
 */
export async function readInput(stream: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array);
    size += bytes.byteLength;
    if (size > INPUT_BYTES_MAX) throw tooLarge('standard input');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

async function readFile(name: string, label: string): Promise<string> {
  try {
    await using file = await open(name);
    if ((await file.stat()).size > INPUT_BYTES_MAX) throw tooLarge(name);
    return await file.readFile('utf8');
  } catch (error) {
    if (error instanceof MonError) throw error;
    throw new MonError('invalid', `${label} cannot be read: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Parses a text as JSON, or else as YAML.
 *
 * @throws MonError `invalid` when the text is neither JSON nor YAML
 */
export async function parseStructure(text: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(text);
  } catch {
    return parseYaml(text, name);
  }
}

async function parseYaml(text: string, name: string): Promise<unknown> {
  const { parse } = await import('yaml');
  try {
    // The limit on aliases protects against a few lines of YAML whose aliases expand to gigabytes.
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (error) {
    throw new MonError('invalid', `${name} is neither JSON nor YAML: ${errorMessage(error)}`, { cause: error });
  }
}

function tooLarge(name: string): MonError {
  return new MonError(
    'too_large',
    `${name} is larger than ${String(INPUT_BYTES_MAX / 1024 / 1024)} MiB: send less at once`,
  );
}
