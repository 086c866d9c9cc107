import { headingsOf, textOf } from './html.ts';

/** A section of a page, which is the unit of a search result. */
export interface SearchSection {
  readonly id: string;
  /** Title of the page that contains the section. */
  readonly page: string;
  readonly title: string;
  readonly text: string;
}

/**
 * Returns the sections of a page for the search, each from its heading to the next one. Headings below level 4 do not
 * start a section.
 */
export function searchSections(path: string, content: string): readonly SearchSection[] {
  const headings = headingsOf(content).filter(({ level }) => level <= 4);
  const page = textOf(headings[0]?.html ?? path);
  return headings.map(({ level, id, html, end }, index) => ({
    id: level === 1 ? path : `${path}#${id}`,
    page,
    title: textOf(html),
    text: textOf(withoutScreens(content.slice(end, headings[index + 1]?.start))),
  }));
}

/** Removes the screens of the console, which have a horizontal line: their words are examples, and many are cut. */
function withoutScreens(html: string): string {
  return html.replaceAll(/<pre>.*?<\/pre>/gs, (block) => (block.includes('─'.repeat(20)) ? '' : block));
}
