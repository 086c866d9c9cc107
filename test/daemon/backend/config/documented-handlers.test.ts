import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { handlerSchema } from '../../../../shared/schemas/handler.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const DOCUMENT = readFileSync(join(ROOT, 'docs/handlers.md'), 'utf8');
const EXAMPLE = readFileSync(join(ROOT, 'examples/backend.yml'), 'utf8');

const blocks = [...DOCUMENT.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);

/** Writes one file each, so that they are merged as in a directory. */
async function loadBlocks(texts: readonly string[]): ReturnType<typeof loadConfig> {
  const dir = await tempDir();
  await Promise.all(texts.map((text, at) => writeFile(join(dir, `${String(at)}.yml`), text)));
  return await loadConfig({ directories: [dir], env: {} });
}

describe('docs/handlers.md', () => {
  test('all examples of docs/handlers.md together load without a warning', async () => {
    const { handlers, filters, mutators, warnings, program } = await loadBlocks(blocks);
    expect(warnings).toEqual([]);
    expect(new Set([...handlers.values()].map(({ type }) => type))).toEqual(
      new Set(['pipe', 'tcp', 'udp', 'webhook', 'email', 'transport', 'set']),
    );
    expect([filters.size, mutators.size, program['handler-networks'].length]).toEqual([2, 1, 2]);
  });

  test.each(blocks)('each example of docs/handlers.md loads: %s', async (text) => {
    await expect(loadBlocks([text])).resolves.toBeDefined();
  });
});

/** The attributes of all handler types. */
const ATTRIBUTES = new Set(handlerSchema.options.flatMap((option) => Object.keys(option.shape)));

test.each([...ATTRIBUTES])('the attribute %s is explained in docs/handlers.md and used in the example', (name) => {
  expect(DOCUMENT).toMatch(new RegExp(`\\b${name}\\b`));
  // The example shows the plural, and its comment names the singular.
  expect(EXAMPLE).toMatch(new RegExp(`^ +${name}:|"${name}"`, 'm'));
});

test.each(['handler-networks', 'renotify-after-silence'])(
  'the setting %s is explained in docs/handlers.md and used in the example',
  (name) => {
    expect(DOCUMENT).toContain(name);
    expect(EXAMPLE).toMatch(new RegExp(`^(?:# )?${name}:`, 'm'));
  },
);
