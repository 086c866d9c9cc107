import { linkTarget } from './site-paths.ts';

/** A chapter of the site's navigation, such as the how-to guides. */
export interface Chapter {
  readonly title: string;
  readonly groups: readonly PageGroup[];
}

/** Pages for related tasks. */
interface PageGroup {
  /** Title of the group; empty for the pages of a chapter that are in no group. */
  readonly title: string;
  readonly pages: readonly PageLink[];
}

interface PageLink {
  readonly title: string;
  readonly source: string;
}

/** Source of the start page; its sections and links define the navigation of the site. */
export const INDEX_PAGE = 'docs/index.md';

/**
 * Returns the chapters of the navigation: the sections of the index page, grouped by their sub-sections, each with the
 * first link of every list item.
 */
export function navigationOf(index: string): readonly Chapter[] {
  const [, ...sections] = index.split(/^## /m);
  return sections.map((section) => {
    const [ungrouped = '', ...groups] = section.split(/^### /m);
    return {
      title: titleOf(section),
      groups: [
        { title: '', pages: pageLinksOf(ungrouped) },
        ...groups.map((group) => ({ title: titleOf(group), pages: pageLinksOf(group) })),
      ].filter(({ pages }) => pages.length > 0),
    };
  });
}

/** Returns the sources of all pages of the navigation, in order. */
export function pagesOf(chapters: readonly Chapter[]): readonly string[] {
  return chapters.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages.map(({ source }) => source)));
}

function titleOf(section: string): string {
  return section.split('\n')[0] ?? '';
}

function pageLinksOf(section: string): readonly PageLink[] {
  return Array.from(section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm), ([, title = '', href = '']) => ({
    title,
    source: linkTarget(INDEX_PAGE, href)?.target ?? '',
  }));
}
