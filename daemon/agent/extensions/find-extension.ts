import { certificate } from './certificate.ts';
import { disk } from './disk.ts';
import type { Extension } from './extension.ts';
import { http } from './http.ts';
import { load } from './load.ts';
import { memory } from './memory.ts';
import { processes } from './process.ts';
import { tcp } from './tcp.ts';

const EXTENSIONS: ReadonlyMap<string, Extension> = new Map(
  [certificate, disk, http, load, memory, processes, tcp].map((extension) => [extension.name, extension]),
);

/** The names of all built-in checks, for log messages. */
export const EXTENSION_NAMES: readonly string[] = [...EXTENSIONS.keys()];

export function findExtension(name: string): Extension | undefined {
  return EXTENSIONS.get(name);
}
