// Bundles each program into one file under dist/, or the folder that is given: a single file starts faster than hundreds.
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';

interface Program {
  readonly source: string;
  /**
   * People wait for its start: the compiled code is kept beside the program for the next one.
   */
  readonly startsOften?: boolean;
  readonly nodeFlags?: string;
  /** By how many percent the heap may grow until garbage is looked for. Set by the program itself: not all Nodes know it. */
  readonly heapGrowth?: number;
}

const PROGRAMS: Readonly<Record<string, Program>> = {
  // A nursery for what a few frames make: in one of 8 MiB every frame of a storm is still alive when it is full, and all of
  // it is kept with what is old. A fifth less CPU for 8 MiB more. As large from the start on, it is not full before the first
  // frame.
  // Each change leaves the row before it as garbage among what is old: 360 MiB after 100 s of 5,000 changes/s without a
  // bound, 225 with this one, for the same CPU.
  mon: {
    source: 'tui/main.tsx',
    startsOften: true,
    nodeFlags: '--max-semi-space-size=16 --min-semi-space-size=16',
    heapGrowth: 50,
  },
  monctl: { source: 'tui/monctl/main.ts', startsOften: true },
  'mon-agent': { source: 'daemon/agent/main.ts' },
  // No program for people: `mon-backend` starts it, from beside itself.
  'command-process': { source: 'daemon/command/command-process.ts' },
  // As that: passwords are hashed in a thread of their own.
  'bcrypt-thread': { source: 'daemon/backend/access/bcrypt-thread.ts' },
  // Results live for one batch: with room for several batches, most are gone before anybody looks for garbage.
  'mon-backend': { source: 'daemon/backend/main.ts', nodeFlags: '--max-semi-space-size=64 --min-semi-space-size=64' },
};

/** Ink loads React's devtools when it is asked to and they are there. They are no part of the programs. */
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(bundler) {
    bundler.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'without-devtools' }));
    bundler.onLoad({ filter: /^/, namespace: 'without-devtools' }, () => ({ contents: 'export default {};' }));
  },
};

/**
 * Modules of Node are loaded with the module that wants them, by `require`. An `import` of a bundle loads all of them
 * first, and asks each for everything that it exports: of `node:http` that is a whole second HTTP client (25 ms).
 */
const builtinsByRequire: Plugin = {
  name: 'builtins-by-require',
  setup(bundler) {
    bundler.onResolve({ filter: /./ }, ({ path, namespace }) => {
      if (!isBuiltin(path)) return undefined;
      return namespace === 'builtin' ? { path, external: true } : { path, namespace: 'builtin', sideEffects: false };
    });
    bundler.onLoad({ filter: /^/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

/** The layout engine carries its code in a `data:` URL, and decodes it by itself where there is no `fetch` to load. */
const layoutWithoutFetch: Plugin = {
  name: 'layout-without-fetch',
  setup(bundler) {
    bundler.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path }) => ({
      contents: `const fetch = undefined;\n${await readFile(path, 'utf8')}`,
    }));
  },
};

/** One way to measure text for Ink and for us: rows would be torn where two disagree. */
const measureAsWeDo: Plugin = {
  name: 'measure-as-we-do',
  setup(bundler) {
    bundler.onLoad({ filter: /string-width\/index\.js$/ }, () => ({
      contents: "export { cellWidth as default } from './tui/terminal/cells.ts';",
      resolveDir: process.cwd(),
    }));
  },
};

const outdir = process.argv[2] ?? 'dist';

await Promise.all(
  Object.entries(PROGRAMS).map(async ([name, { source, startsOften = false, nodeFlags, heapGrowth }]) => {
    const firstLine = nodeFlags === undefined ? '#!/usr/bin/env node' : `#!/usr/bin/env -S node ${nodeFlags}`;
    await build({
      entryPoints: { [startsOften ? `${name}-program` : name]: source },
      outdir,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node24',
      jsx: 'automatic',
      minifySyntax: true,
      sourcemap: true,
      legalComments: 'none',
      // The store brings a native part that it looks for beside its own files; pino starts workers from its own files.
      external: ['level', 'pino'],
      // Where `ws` looks for something faster than its own; of a Node that brings it, `ws` takes that.
      alias: { bufferutil: './shared/domain/websocket-mask.ts' },
      plugins: [withoutDevtools, builtinsByRequire, layoutWithoutFetch, measureAsWeDo],
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: {
        js: [
          ...(startsOften ? [] : [firstLine]),
          "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
        ].join('\n'),
      },
      logLevel: 'warning',
    });
    if (startsOften) await writeFile(join(outdir, `${name}.js`), `${firstLine}\n${launcher(name, heapGrowth)}`);
    await chmod(join(outdir, `${name}.js`), 0o755);
  }),
);

/**
 * Turns on the cache of compiled code before the program is compiled. The cache is beside the program, where nobody can
 * write who could not write the program itself; where the user cannot either, the program only starts more slowly.
 */
function launcher(name: string, heapGrowth: number | undefined): string {
  const bounds =
    heapGrowth === undefined
      ? []
      : [
          "import { setFlagsFromString } from 'node:v8';",
          `setFlagsFromString('--heap-growing-percent=${String(heapGrowth)}');`,
        ];
  return [
    "import { enableCompileCache } from 'node:module';",
    "import { join } from 'node:path';",
    ...bounds,
    "enableCompileCache(join(import.meta.dirname, '.compile-cache'));",
    `await import('./${name}-program.js');`,
    '',
  ].join('\n');
}
