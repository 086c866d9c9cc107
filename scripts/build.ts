// Bundles each program into one file under dist/, or the folder that is given: a single file starts faster than hundreds.
// With --whole it needs nothing from node_modules any more, for packages.
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { PROGRAMS } from './lib/programs.ts';
import { NATIVE_STORE } from './lib/native-store.ts';

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

/** Ink and its packages make theirs when they are loaded, and look at text that has nothing to be joined. */
const graphemesAsWeDo: Plugin = {
  name: 'graphemes-as-we-do',
  setup(bundler) {
    const made = 'new Intl.Segmenter(';
    const filter =
      /node_modules\/(wrap-ansi\/index|slice-ansi\/tokenize-ansi|@alcalzone\/ansi-tokenize\/build\/tokenize)\.js$/;
    bundler.onLoad({ filter }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes(made)) throw new Error(`${path} takes text apart in another way now`);
      const ours = join(process.cwd(), 'tui/terminal/graphemes.ts');
      return {
        contents: `import { GraphemeSegmenter } from ${JSON.stringify(ours)};\n${source.replaceAll(made, 'new GraphemeSegmenter(')}`,
        resolveDir: dirname(path),
      };
    });
  },
};

/** The console is made of rows: what Ink does for rows is done by us, and cells are left to Ink where there are any. */
const rowsAsWeDo: Plugin = {
  name: 'rows-as-we-do',
  setup(bundler) {
    const resolveDir = process.cwd();
    bundler.onLoad({ filter: /ink\/build\/line-update\.js$/ }, () => ({
      contents: "export { rowChange as default } from './tui/terminal/row-change.ts';",
      resolveDir,
    }));
    bundler.onLoad({ filter: /ink\/build\/output\.js$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      const declared = 'export default class Output {';
      if (!source.includes(declared)) throw new Error(`${path} draws in another way now`);
      const ours = join(resolveDir, 'tui/terminal/frame-of-rows.ts');
      return {
        contents: [
          `import { frameOfRows } from ${JSON.stringify(ours)};`,
          source.replace(declared, 'class Output {'),
          'export default class extends Output {',
          '  get() {',
          '    const output = frameOfRows(this.operations, this.height);',
          '    return output === undefined ? super.get() : { output, height: this.height };',
          '  }',
          '}',
        ].join('\n'),
        resolveDir: dirname(path),
      };
    });
  },
};

/** Messages of the schemas in fifty languages; ours are in English. */
const messagesInEnglish: Plugin = {
  name: 'messages-in-english',
  setup(bundler) {
    bundler.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/** The store looks for its native part where it was installed; that of a package is beside the programs. */
const storeBesideProgram: Plugin = {
  name: 'store-beside-program',
  setup(bundler) {
    bundler.onLoad({ filter: /classic-level\/binding\.js$/ }, () => ({
      contents: `module.exports = require('./${NATIVE_STORE}');`,
    }));
    bundler.onResolve({ filter: /^\.\/classic-level\.node$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** A start is over by then. Whatever arrives at one is there to stay: looking for garbage in it again and again finds none. */
const START_MS = 5000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { whole: { type: 'boolean', default: false } },
});
const [outdir = 'dist'] = positionals;
const { whole: isWhole } = values;
if (isWhole) await copyNativeStore();

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
      // Source in bytes of ASCII only, and half as many, is read in a tenth of the time: a comment with a dash makes all of
      // it two bytes a character. Names and lines stay, for whoever reads where something broke.
      minifyWhitespace: startsOften,
      ...(startsOften && { lineLimit: 200 }),
      sourcemap: !isWhole,
      legalComments: 'none',
      // The store brings a native part that it looks for beside its own files; pino starts workers from its own files.
      external: isWhole ? [] : ['level', 'pino'],
      // Where `ws` looks for something faster than its own; of a Node that brings it, `ws` takes that.
      alias: { bufferutil: './shared/domain/websocket-mask.ts' },
      plugins: [
        withoutDevtools,
        builtinsByRequire,
        layoutWithoutFetch,
        measureAsWeDo,
        graphemesAsWeDo,
        rowsAsWeDo,
        messagesInEnglish,
        ...(isWhole ? [storeBesideProgram] : []),
      ],
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: {
        js: [
          ...(startsOften || isWhole ? [] : [firstLine]),
          "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
        ].join('\n'),
      },
      logLevel: 'warning',
    });
    if (startsOften)
      await writeFile(join(outdir, `${name}.js`), `${isWhole ? '' : `${firstLine}\n`}${launcher(name, heapGrowth)}`);
    await chmod(join(outdir, `${name}.js`), 0o755);
  }),
);

/** The one that this machine loads. */
async function copyNativeStore(): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('classic-level/package.json');
  const { path } = createRequire(manifest)('node-gyp-build') as { readonly path: (folder: string) => string };
  await mkdir(outdir, { recursive: true });
  await copyFile(path(dirname(manifest)), join(outdir, NATIVE_STORE));
}

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
          `setTimeout(() => setFlagsFromString('--heap-growing-percent=${String(heapGrowth)}'), ${String(START_MS)}).unref();`,
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
