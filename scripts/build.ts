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

await build({
  entryPoints: {
    mon: 'tui/main.tsx',
    monctl: 'tui/monctl/main.ts',
    'mon-agent': 'daemon/agent/main.ts',
    'mon-backend': 'daemon/backend/main.ts',
  },
  outdir: process.argv[2] ?? 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  jsx: 'automatic',
  minifySyntax: true,
  sourcemap: true,
  legalComments: 'none',
  // The store brings a native part that it looks for beside its own files; pino starts workers from its own files.
  external: ['level', 'pino', 'fastify'],
  plugins: [withoutDevtools],
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
