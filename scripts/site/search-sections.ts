import { headingsOf, textOf } from './html.ts';

/** What search finds: a section of a page. */
export interface SearchSection {
  /** Where it is in the site, with its anchor. */
  readonly id: string;
  /** Of the page. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/** The sections of a page: each from its heading to the next one. Deep ones belong to those above them. */
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
