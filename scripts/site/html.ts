/** A heading in the rendered HTML of a page. */
export interface Heading {
  readonly level: number;
  readonly id: string;
  readonly html: string;
  /** Offset at which the heading starts in the page; `end` is the offset after the heading. */
  readonly start: number;
  readonly end: number;
}

/** Returns the headings of a page, in order. */
export function headingsOf(html: string): readonly Heading[] {
  return Array.from(html.matchAll(/<h([1-6]) id="([^"]*)">(.*?)<\/h\1>/gs), (match) => {
    const [fullMatch, level = '', id = '', text = ''] = match;
    return { level: Number(level), id, html: text, start: match.index, end: match.index + fullMatch.length };
  });
}

/** Returns the visible text of HTML that the site build has rendered. */
export function textOf(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => HTML_ENTITIES[name] ?? '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

const HTML_ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };

export function escapeHtmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
