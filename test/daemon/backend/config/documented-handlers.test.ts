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

/** Loads blocks of configuration, each from its own file, so that they are merged like the files of a directory. */
async function loadBlocks(texts: readonly string[]): ReturnType<typeof loadConfig> {
  const dir = await tempDir();
  await Promise.all(texts.map((text, at) => writeFile(join(dir, `${String(at)}.yml`), text)));
  return await loadConfig({ directories: [dir], env: {} });
}

describe('docs/handlers.md', () => {
  test('the examples of docs/handlers.md load together without a warning', async () => {
    const { handlers, filters, mutators, warnings, program } = await loadBlocks(blocks);
    expect(warnings).toEqual([]);
    expect(new Set([...handlers.values()].map(({ type }) => type))).toEqual(
      new Set(['pipe', 'tcp', 'udp', 'webhook', 'email', 'transport', 'set', 'escalation']),
    );
    expect([filters.size, mutators.size, program['handler-networks'].length]).toEqual([2, 1, 2]);
  });

  test.each(blocks)('each example of docs/handlers.md loads on its own: %s', async (text) => {
    await expect(loadBlocks([text])).resolves.toBeDefined();
  });
});

/** The attributes of all handler types. */
const ATTRIBUTES = new Set(handlerSchema.options.flatMap((option) => Object.keys(option.shape)));

test.each([...ATTRIBUTES])('the example configuration uses the handler attribute %s', (name) => {
  // The example may show only the plural of an attribute, and name the singular in its comment.
  expect(EXAMPLE).toMatch(new RegExp(`^ +${name}:|"${name}"`, 'm'));
});

test.each(['handler-networks', 'renotify-after-silence'])(
  'docs/handlers.md explains the setting %s and uses it in the example',
  (name) => {
    expect(DOCUMENT).toContain(name);
    expect(EXAMPLE).toMatch(new RegExp(`^(?:# )?${name}:`, 'm'));
  },
);
