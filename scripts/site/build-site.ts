import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Eleventy, type EleventyConfig, type EleventyResult } from '@11ty/eleventy';
import { build } from 'esbuild';
import { brokenLinks } from './broken-links.ts';
import { filePage } from './file-pages.ts';
import { layout, type SitePage } from './layout.ts';
import { amendMarkdown } from './markdown.ts';
import { INDEX, navigationOf } from './navigation.ts';
import { searchSections } from './search-sections.ts';
import { isFile, PROJECT_PAGES, sitePath } from './site-paths.ts';

const REPOSITORY = join(import.meta.dirname, '../..');
const INPUT = 'docs';

/**
 * The documentation as pages that need neither network nor server. Eleventy converts the markdown and watches
 * the files; layout, search and links are ours.
 */
export class Site {
  readonly #output: string;
  readonly #eleventy: Eleventy;
  /** The pages from Eleventy, and the shown content of linked files. */
  #pages: readonly SitePage[] = [];
  /** Linked files that are not pages, relative to the repository. */
  readonly #files = new Set<string>();

  /**
   * Prepares the build.
   *
   * @param output a directory, relative to the repository
   */
  constructor(output: string) {
    this.#output = output;
    this.#eleventy = new Eleventy(INPUT, output, { quietMode: true, config: (config) => this.#configure(config) });
  }

  /**
   * Builds the site.
   *
   * @returns the number of pages
   * @throws Error that names every broken link
   */
  async write(): Promise<number> {
    await this.#eleventy.write();
    const broken = brokenLinks(this.#pages);
    if (broken.length > 0) throw new Error(`links that lead nowhere:\n${broken.join('\n')}`);
    return this.#pages.length;
  }

  /** Builds the site, and again after each change of a page, until the program is stopped. */
  async watch(): Promise<void> {
    await this.#eleventy.init();
    await this.#eleventy.watch();
  }

  #configure(config: EleventyConfig): void {
    // `build` is ignored by git.
    config.setUseGitIgnore(false);
    config.setTemplateFormats(['md']);
    // Braces in examples are tokens of `mon`.
    config.addGlobalData('templateEngineOverride', 'md');
    config.addGlobalData(
      'permalink',
      () =>
        ({ page }: { readonly page: { readonly inputPath: string } }) =>
          sitePath(sourceOf(page.inputPath)),
    );
    for (const page of PROJECT_PAGES) config.addTemplate(page, readFileSync(join(REPOSITORY, page), 'utf8'));
    config.amendLibrary('md', (markdown) =>
      amendMarkdown(markdown, sourceOf, (source) => {
        if (isFile(source)) this.#files.add(source);
      }),
    );
    config.addTransform('layout', function (content) {
      return framed({ path: sitePath(sourceOf(this.page.inputPath)), content });
    });
    config.on('eleventy.after', ({ results }) => this.#writeAssets(results));
  }

  async #writeAssets(results: readonly EleventyResult[]): Promise<void> {
    const pages = results.map(({ inputPath, content }) => ({ path: sitePath(sourceOf(inputPath)), content }));
    const files = [...this.#files].map((source) => {
      const path = sitePath(source);
      return { path, content: framed({ path, content: filePage(REPOSITORY, source) }) };
    });
    for (const { path, content } of files) this.#writeFile(path, content);
    this.#pages = [...pages, ...files];
    const sections = pages.flatMap(({ path, content }) => searchSections(path, mainOf(content)));
    this.#writeFile('search-sections.js', `monSearch.take(${JSON.stringify(sections)});\n`);
    copyFileSync(join(import.meta.dirname, 'site.css'), join(REPOSITORY, this.#output, 'site.css'));
    await build({
      entryPoints: [join(import.meta.dirname, 'browser/site.ts')],
      outfile: join(REPOSITORY, this.#output, 'site.js'),
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      logLevel: 'warning',
    });
  }

  #writeFile(path: string, content: string): void {
    const file = join(REPOSITORY, this.#output, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
}

function framed(page: SitePage): string {
  return layout(page, navigationOf(readFileSync(join(REPOSITORY, INDEX), 'utf8')));
}

/**
 * Returns the repository file of an Eleventy input: pages of the project are copied into the input directory.
 */
function sourceOf(inputPath: string): string {
  const path = inputPath.replace(/^\.\//, '');
  return PROJECT_PAGES.find((page) => path === join(INPUT, page)) ?? path;
}

function mainOf(page: string): string {
  return /<main[^>]*>(.*)<\/main>/s.exec(page)?.[1] ?? '';
}
