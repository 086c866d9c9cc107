import { headingsOf, textOf } from './html.ts';

/** A search result: a section of a page. */
export interface SearchSection {
  /** Path in the site, with the anchor. */
  readonly id: string;
  /** Title of the page. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Returns the sections of a page, each from its heading to the next one. Deeper ones belong to their parent.
 */
export function searchSections(path: string, content: string): readonly SearchSection[] {
  const headings = headingsOf(content).filter(({ level }) => level <= 3);
  const page = textOf(headings[0]?.html ?? path);
  return headings.map(({ level, id, html, end }, index) => ({
    id: level === 1 ? path : `${path}#${id}`,
    page,
    title: textOf(html),
    text: textOf(content.slice(end, headings[index + 1]?.start)),
  }));
}
