import { posix } from 'node:path';

/** The pages at the top of the repository, outside of `docs`. */
export const PROJECT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'] as const;

/**
 * Returns the site path of a repository file. Pages of `docs` keep their path, pages of the project are in
 * `project`, and other linked files (examples, directories) in `files`.
 */
export function sitePath(source: string): string {
  if (source.startsWith('docs/') && source.endsWith('.md')) return source.slice('docs/'.length).replace(/md$/, 'html');
  // The directory of the specification, which the index lists.
  if (source.startsWith('docs/')) return 'index.html';
  if (isProjectPage(source)) return `project/${source.toLowerCase().replace(/md$/, 'html')}`;
  return `files/${source}.html`;
}

/** Returns whether it is a file that is not a page and has to be shown separately. */
export function isFile(source: string): boolean {
  return sitePath(source).startsWith('files/');
}

function isProjectPage(source: string): boolean {
  return PROJECT_PAGES.some((page) => page === source);
}

/** Returns a relative link between two pages, so that the site works at any address, also as files. */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/**
 * Returns the repository file and anchor of a link; `undefined` for a link within the page or to another site.
 */
export function linkTarget(
  source: string,
  href: string,
): { readonly target: string; readonly anchor: string } | undefined {
  if (href.startsWith('#') || /^\w+:/.test(href)) return undefined;
  const [path = '', anchor = ''] = href.split('#');
  return { target: posix.join(posix.dirname(source), path), anchor: anchor === '' ? '' : `#${anchor}` };
}
