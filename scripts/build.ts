// Bundles each program into one file in dist/ or the given directory, because a single file starts faster than
// hundreds. With --self-contained, the bundles need nothing from node_modules; the packages contain these.
import { chmod, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, type Plugin } from 'esbuild';
import { PROGRAMS } from './lib/programs.ts';
import { NATIVE_STORE } from './lib/native-store.ts';

/** Removes React's developer tools from the bundle. Ink loads them on request if they are installed. */
const removeDevtoolsPlugin: Plugin = {
  name: 'without-devtools',
  setup(bundler) {
    bundler.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'without-devtools' }));
    bundler.onLoad({ filter: /^/, namespace: 'without-devtools' }, () => ({ contents: 'export default {};' }));
  },
};

/**
 * Loads built-in modules of Node.js by `require` when the module that needs them is loaded. An `import` in a bundle
 * would load all of them first and read all their exports; for `node:http` that includes a second HTTP client (25 ms).
 */
const requireBuiltinsPlugin: Plugin = {
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

/**
 * Makes the layout engine Yoga decode its WebAssembly code by itself. The code is in a `data:` URL, which Yoga would
 * otherwise load by `fetch`.
 */
const layoutWithoutFetch: Plugin = {
  name: 'layout-without-fetch',
  setup(bundler) {
    bundler.onLoad({ filter: /yoga-wasm-base64-esm\.js$/ }, async ({ path }) => ({
      contents: `const fetch = undefined;\n${await readFile(path, 'utf8')}`,
    }));
  },
};

/** Makes Ink measure text with `cellWidth`, because rows would break if Ink and `mon` disagreed about a width. */
const ownTextWidth: Plugin = {
  name: 'measure-as-we-do',
  setup(bundler) {
    bundler.onLoad({ filter: /string-width\/index\.js$/ }, () => ({
      contents: "export { cellWidth as default } from './tui/terminal/cells.ts';",
      resolveDir: process.cwd(),
    }));
  },
};

/**
 * Makes Ink and its packages use the segmenter of `mon`. Their own segmenter is created at load time, and is used even
 * for text without combining characters.
 */
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

/** Makes Ink use the faster functions of `mon` for drawing rows, which handle single cells only if a row needs it. */
const ownRowDrawing: Plugin = {
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

/** Removes the validation messages of the other languages, about fifty, from the bundle; only English remains. */
const messagesInEnglish: Plugin = {
  name: 'messages-in-english',
  setup(bundler) {
    bundler.onLoad({ filter: /zod\/v4\/locales\/index\.js$/ }, ({ path }) => ({
      contents: "export { default as en } from './en.js';",
      resolveDir: dirname(path),
    }));
  },
};

/**
 * Makes the store load its native module from the directory of the program, as in a package, instead of from
 * node_modules.
 */
const storeNextToProgram: Plugin = {
  name: 'store-beside-program',
  setup(bundler) {
    bundler.onLoad({ filter: /classic-level\/binding\.js$/ }, () => ({
      contents: `module.exports = require('./${NATIVE_STORE}');`,
    }));
    bundler.onResolve({ filter: /^\.\/classic-level\.node$/ }, ({ path }) => ({ path, external: true }));
  },
};

/**
 * Time after which a program counts as started. Objects allocated during the start stay, so collecting garbage before
 * that would be useless.
 */
const START_MS = 5000;

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { 'self-contained': { type: 'boolean', default: false } },
});
const [outdir = 'dist'] = positionals;
const { 'self-contained': isSelfContained } = values;
if (isSelfContained) await copyNativeStore();

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
      // An ASCII source of half the size is read in a tenth of the time: a single dash in a comment would double the
      // bytes of every character. Names and line breaks stay, for debugging.
      minifyWhitespace: startsOften,
      ...(startsOften && { lineLimit: 200 }),
      sourcemap: !isSelfContained,
      legalComments: 'none',
      // Not bundled: the store loads its native module, and pino its worker threads, from their own directories.
      external: isSelfContained ? [] : ['level', 'pino'],
      // Replaces `bufferutil`, the optional faster WebSocket masking of `ws`. If Node.js has its own, `ws` uses that.
      alias: { bufferutil: './shared/domain/websocket-mask.ts' },
      plugins: [
        removeDevtoolsPlugin,
        requireBuiltinsPlugin,
        layoutWithoutFetch,
        ownTextWidth,
        graphemesAsWeDo,
        ownRowDrawing,
        messagesInEnglish,
        ...(isSelfContained ? [storeNextToProgram] : []),
      ],
      define: { 'process.env.NODE_ENV': '"production"' },
      banner: {
        js: [
          ...(startsOften || isSelfContained ? [] : [firstLine]),
          "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
        ].join('\n'),
      },
      logLevel: 'warning',
    });
    if (startsOften)
      await writeFile(
        join(outdir, `${name}.js`),
        `${isSelfContained ? '' : `${firstLine}\n`}${launcherText(name, heapGrowth)}`,
      );
    await chmod(join(outdir, `${name}.js`), 0o755);
  }),
);

/** Copies the native module of the store for this machine. */
async function copyNativeStore(): Promise<void> {
  const manifest = createRequire(import.meta.url).resolve('classic-level/package.json');
  const { path } = createRequire(manifest)('node-gyp-build') as { readonly path: (folder: string) => string };
  await mkdir(outdir, { recursive: true });
  await copyFile(path(dirname(manifest)), join(outdir, NATIVE_STORE));
}

/**
 * Returns a launcher that enables the compile cache before the program is compiled. The cache is beside the program, so
 * that only users who could also replace the program can write it. If the user cannot write it, the program only starts
 * slower.
 */
function launcherText(name: string, heapGrowth: number | undefined): string {
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
