import { posix } from 'node:path';

/** The pages that stand at the top of the repository and not in `docs`. */
export const PROJECT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'] as const;

/**
 * Where the site has a file of the repository, both from their tops: a page of `docs` at its place in there, the pages of the
 * project below `project`, and what else is linked (examples, folders) below `files`.
 */
export function sitePath(source: string): string {
  if (source.startsWith('docs/') && source.endsWith('.md')) return source.slice('docs/'.length).replace(/md$/, 'html');
  // The folder of the specification, which the index lists.
  if (source.startsWith('docs/')) return 'index.html';
  if (isProjectPage(source)) return `project/${source.toLowerCase().replace(/md$/, 'html')}`;
  return `files/${source}.html`;
}

/** Whether it is no page, nor about one, and has to be shown for itself. */
export function isFile(source: string): boolean {
  return sitePath(source).startsWith('files/');
}

function isProjectPage(source: string): boolean {
  return PROJECT_PAGES.some((page) => page === source);
}

/** A link from one page of the site to another: the site works at any address, also as files. */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/**
 * What a link on a page means: a file of the repository, and a place on it. Undefined: a place of the same page, or another
 * site.
 */
export function linkTarget(
  source: string,
  href: string,
): { readonly target: string; readonly anchor: string } | undefined {
  if (href.startsWith('#') || /^\w+:/.test(href)) return undefined;
  const [path = '', anchor = ''] = href.split('#');
  return { target: posix.join(posix.dirname(source), path), anchor: anchor === '' ? '' : `#${anchor}` };
}
