// Bundles each program into one file under dist/, or the folder that is given: a single file starts faster than hundreds.
import { build, type Plugin } from 'esbuild';

/** Ink loads React's devtools when it is asked to and they are there. They are no part of the programs. */
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(bundler) {
    bundler.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'without-devtools' }));
    bundler.onLoad({ filter: /^/, namespace: 'without-devtools' }, () => ({ contents: 'export default {};' }));
  },
};

const PROGRAMS: Readonly<Record<string, { readonly source: string; readonly nodeFlags?: string }>> = {
  mon: { source: 'tui/main.tsx' },
  monctl: { source: 'tui/monctl/main.ts' },
  'mon-agent': { source: 'daemon/agent/main.ts' },
  // Results live for one batch: with room for several batches, most are gone before anybody looks for garbage.
  'mon-backend': { source: 'daemon/backend/main.ts', nodeFlags: '--max-semi-space-size=64 --min-semi-space-size=64' },
};

await Promise.all(
  Object.entries(PROGRAMS).map(([name, { source, nodeFlags }]) =>
    build({
      entryPoints: { [name]: source },
      outdir: process.argv[2] ?? 'dist',
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      jsx: 'automatic',
      minifySyntax: true,
      sourcemap: true,
      legalComments: 'none',
      // The store brings a native part that it looks for beside its own files; pino starts workers from its own files.
      external: ['level', 'pino', 'fastify'],
      plugins: [withoutDevtools],
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: {
        js: [
          nodeFlags === undefined ? '#!/usr/bin/env node' : `#!/usr/bin/env -S node ${nodeFlags}`,
          "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
        ].join('\n'),
      },
      logLevel: 'warning',
    }),
  ),
);
