import { build, stop } from 'esbuild';
import { afterAll, expect, test } from 'vitest';

afterAll(stop);

/** Returns all files that are loaded with the entry file, without those behind dynamic imports. */
function loadedWith(entry: string, imports: (file: string) => readonly { path: string; kind: string }[]): Set<string> {
  const loaded = new Set([entry]);
  for (const file of loaded) {
    for (const { path, kind } of imports(file)) if (kind !== 'dynamic-import') loaded.add(path);
  }
  return loaded;
}

test('modules that are only needed after the first frame are not loaded before the first frame', async () => {
  const { metafile } = await build({
    entryPoints: ['tui/main.tsx'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    external: ['react-devtools-core'],
    metafile: true,
    write: false,
  });
  const loaded = loadedWith('tui/main.tsx', (file) => metafile.inputs[file]?.imports ?? []);
  expect(loaded).toContain('tui/app.tsx');
  const packages = new Set(Array.from(loaded, (file) => /^node_modules\/([^/]+)/.exec(file)?.[1]));
  for (const late of ['got', 'meow', 'ws', 'yaml', 'zod']) expect(packages).not.toContain(late);
  // Loading one of these modules would take a twentieth of the time to the first frame.
  for (const late of ['crypto', 'node:crypto', 'http', 'https', 'tls', 'zlib']) expect(loaded).not.toContain(late);
});
