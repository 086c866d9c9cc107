import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Eleventy, type EleventyConfig, type EleventyResult } from '@11ty/eleventy';
import { build } from 'esbuild';
import { VERSION } from '../../shared/schemas/version.ts';
import { brokenLinks } from './broken-links.ts';
import { filePage } from './file-pages.ts';
import { renderLayout, type SitePage } from './layout.ts';
import { amendMarkdown } from './markdown.ts';
import { INDEX_PAGE, navigationOf } from './navigation.ts';
import { searchSections } from './search-sections.ts';
import { isFile, isPicture, PROJECT_PAGES, sitePath } from './site-paths.ts';

const REPOSITORY_ROOT = join(import.meta.dirname, '../..');
const INPUT_DIRECTORY = 'docs';

/**
 * The documentation site: static pages that need neither a network nor a server. Eleventy converts the Markdown and
 * watches the files; this class and its modules add the layout, the search and the links.
 */
export class Site {
  readonly #output: string;
  readonly #eleventy: Eleventy;
  /** The pages that Eleventy wrote, and the generated pages that show linked files. */
  #pages: readonly SitePage[] = [];
  /** Repository paths of linked files and directories that are not documentation pages. */
  readonly #files = new Set<string>();
  /** Repository paths of the pictures on the pages. */
  readonly #pictures = new Set<string>();

  /**
   * Configures the build.
   *
   * @param output directory for the site, relative to the repository
   */
  constructor(output: string) {
    this.#output = output;
    this.#eleventy = new Eleventy(INPUT_DIRECTORY, output, {
      quietMode: true,
      config: (config) => this.#configure(config),
    });
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

  /** Builds the site, and rebuilds it after each change of a page, until the program is stopped. */
  async watch(): Promise<void> {
    await this.#eleventy.init();
    await this.#eleventy.watch();
  }

  #configure(config: EleventyConfig): void {
    // Git ignores the output directory `build`, but Eleventy must not.
    config.setUseGitIgnore(false);
    config.setTemplateFormats(['md']);
    // Disable template engines: double braces in the examples are tokens of `mon`, not of a template.
    config.addGlobalData('templateEngineOverride', 'md');
    config.addGlobalData(
      'permalink',
      () =>
        ({ page }: { readonly page: { readonly inputPath: string } }) =>
          sitePath(sourceOf(page.inputPath)),
    );
    for (const page of PROJECT_PAGES) config.addTemplate(page, readFileSync(join(REPOSITORY_ROOT, page), 'utf8'));
    config.amendLibrary('md', (markdown) =>
      amendMarkdown(markdown, sourceOf, (source) => {
        if (isFile(source)) this.#files.add(source);
        if (isPicture(source)) this.#pictures.add(source);
      }),
    );
    config.addTransform('layout', function (content) {
      return renderPage({ path: sitePath(sourceOf(this.page.inputPath)), content });
    });
    config.on('eleventy.after', ({ results }) => this.#writeAssets(results));
  }

  async #writeAssets(results: readonly EleventyResult[]): Promise<void> {
    const pages = results.map(({ inputPath, content }) => ({ path: sitePath(sourceOf(inputPath)), content }));
    const files = [...this.#files].map((source) => {
      const path = sitePath(source);
      return { path, content: renderPage({ path, content: filePage(REPOSITORY_ROOT, source) }) };
    });
    for (const { path, content } of files) this.#writeFile(path, content);
    this.#pages = [...pages, ...files];
    this.#writeSearch(
      'search-sections.js',
      // The index page only lists the titles of the others.
      pages.filter((page) => !isSpecification(page) && page.path !== sitePath(INDEX_PAGE)),
    );
    this.#writeSearch('search-specifications.js', pages.filter(isSpecification));
    for (const picture of this.#pictures) this.#copyFile(join(REPOSITORY_ROOT, picture), sitePath(picture));
    this.#copyFile(join(import.meta.dirname, 'site.css'), 'site.css');
    await build({
      entryPoints: [join(import.meta.dirname, 'browser/site.ts')],
      outfile: join(REPOSITORY_ROOT, this.#output, 'site.js'),
      bundle: true,
      minify: true,
      format: 'iife',
      target: 'es2022',
      logLevel: 'warning',
    });
  }

  #writeSearch(path: string, pages: readonly SitePage[]): void {
    const sections = pages.flatMap((page) => searchSections(page.path, mainOf(page.content)));
    this.#writeFile(path, `monSearch.take(${JSON.stringify(sections)});\n`);
  }

  #writeFile(path: string, content: string): void {
    writeFileSync(this.#fileOf(path), content);
  }

  #copyFile(from: string, path: string): void {
    copyFileSync(from, this.#fileOf(path));
  }

  /** Returns the file for a path of the site, and creates its directory. */
  #fileOf(path: string): string {
    const file = join(REPOSITORY_ROOT, this.#output, path);
    mkdirSync(dirname(file), { recursive: true });
    return file;
  }
}

function isSpecification({ path }: SitePage): boolean {
  return path.startsWith('spec/');
}

function renderPage(page: SitePage): string {
  return renderLayout(page, navigationOf(readFileSync(join(REPOSITORY_ROOT, INDEX_PAGE), 'utf8')), VERSION);
}

/**
 * Returns the repository path of an Eleventy input path. The pages of the project are templates below the input
 * directory, but their source is at the top of the repository.
 */
function sourceOf(inputPath: string): string {
  const path = inputPath.replace(/^\.\//, '');
  return PROJECT_PAGES.find((page) => path === join(INPUT_DIRECTORY, page)) ?? path;
}

function mainOf(page: string): string {
  return /<main[^>]*>(.*)<\/main>/s.exec(page)?.[1] ?? '';
}
