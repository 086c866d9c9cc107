import { utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { tempDir } from './temp-dir.ts';

/** An object in the dump of a cluster. */
export interface Dumped {
  readonly type: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly spec?: Readonly<Record<string, unknown>>;
}

const DEFAULTS: readonly Dumped[] = [
  { type: 'Namespace', spec: { name: 'default' } },
  { type: 'CheckConfig', metadata: { namespace: 'default', name: 'disk' }, spec: { command: 'true' } },
];

export function entities(count: number, spec: Readonly<Record<string, unknown>> = {}): Dumped[] {
  return Array.from({ length: count }, (_, at) => ({
    type: 'Entity',
    metadata: { namespace: 'default', name: `web-${String(at)}` },
    spec: { entity_class: 'agent', last_seen: at, sensu_agent_version: '6.5.0', ...spec },
  }));
}

/**
 * Creates a file with the dump of a cluster as wrapped JSON.
 *
 * @param written modification time of the file in epoch seconds; default: now
 */
export async function dumpFile(objects: readonly Dumped[] = [], written?: number): Promise<string> {
  const text = [...DEFAULTS, ...objects]
    .map((object) => JSON.stringify({ api_version: 'core/v2', metadata: {}, spec: {}, ...object }))
    .join('\n');
  return await aFile('dump.json', text, written);
}

/** Creates a file that starts like the database file of an embedded key-value store: with a metadata page. */
export async function snapshotFile(written?: number): Promise<string> {
  const page = Buffer.alloc(4096);
  page.writeUInt32LE(0xed_0c_da_ed, 16);
  page.writeUInt32LE(2, 20);
  return await aFile('snapshot.db', page, written);
}

export async function aFile(name: string, content: string | Buffer, written?: number): Promise<string> {
  const file = join(await tempDir(), name);
  await writeFile(file, content);
  if (written !== undefined) await utimes(file, written, written);
  return file;
}
