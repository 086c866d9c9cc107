// Bundles each program into one file under dist/: a single file starts faster than hundreds of small ones.
import { build } from 'esbuild';

await build({
  entryPoints: {
    mon: 'tui/main.tsx',
    monctl: 'tui/monctl/main.ts',
    'mon-agent': 'daemon/agent/main.ts',
    'mon-backend': 'daemon/backend/main.ts',
  },
  outdir: 'dist',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22',
  jsx: 'automatic',
  minifySyntax: true,
  sourcemap: true,
  legalComments: 'none',
  // The store brings a native part that it looks for beside its own files; pino starts workers from its own files.
  external: ['level', 'pino', 'fastify', 'react-devtools-core'],
  define: { 'process.env.NODE_ENV': '"production"' },
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
