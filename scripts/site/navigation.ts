import { linkTarget } from './site-paths.ts';

/** A chapter of the site's navigation, such as the how-to guides. */
export interface Chapter {
  readonly title: string;
  readonly pages: readonly { readonly title: string; readonly source: string }[];
}

/** Source of the start page; its sections and links define the navigation of the site. */
export const INDEX = 'docs/index.md';

/**
 * Returns the chapters of the navigation: the sections of the index page, each with the first link of every list item.
 */
export function navigationOf(index: string): readonly Chapter[] {
  const [, ...sections] = index.split(/^## /m);
  return sections.map((section) => ({
    title: section.split('\n')[0] ?? '',
    pages: Array.from(section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm), ([, title = '', href = '']) => ({
      title,
      source: linkTarget(INDEX, href)?.target ?? '',
    })),
  }));
}
