import { posix } from 'node:path';

/** Documentation pages at the top of the repository, outside of `docs`. */
export const PROJECT_PAGES = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'] as const;

/** Matches the paths of pictures, which the site contains unchanged. */
const PICTURE_PATH = /^docs\/.*\.png$/;

/**
 * Returns the site path of a repository file. Pages and pictures in `docs` keep their relative path, `PROJECT_PAGES`
 * are in `project`, and other linked files and directories are in `files`.
 */
export function sitePath(source: string): string {
  if (source.startsWith('docs/') && source.endsWith('.md')) return source.slice('docs/'.length).replace(/md$/, 'html');
  if (isPicture(source)) return source.slice('docs/'.length);
  // A link to a directory in `docs`, such as the specification, leads to the index, which lists its pages.
  if (source.startsWith('docs/')) return 'index.html';
  if (isProjectPage(source)) return `project/${source.toLowerCase().replace(/md$/, 'html')}`;
  return `files/${source}.html`;
}

/** Returns whether the path is a file or directory that is not a documentation page, and so needs a generated page. */
export function isFile(source: string): boolean {
  return sitePath(source).startsWith('files/');
}

export function isPicture(source: string): boolean {
  return PICTURE_PATH.test(source);
}

function isProjectPage(source: string): boolean {
  return PROJECT_PAGES.some((page) => page === source);
}

/** Returns a relative link between two pages, so that the site works at any address and also from the file system. */
export function relativeLink(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to);
}

/**
 * Returns the repository file and the anchor of a link; `undefined` for a link within the page or to another site. The
 * anchor includes its `#`, and is empty if the link has none.
 */
export function linkTarget(
  source: string,
  href: string,
): { readonly target: string; readonly anchor: string } | undefined {
  if (href.startsWith('#') || /^\w+:/.test(href)) return undefined;
  const [path = '', anchor = ''] = href.split('#');
  return { target: posix.join(posix.dirname(source), path), anchor: anchor === '' ? '' : `#${anchor}` };
}
