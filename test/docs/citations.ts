/** Texts of the pages that comments cite, by the names that citations use. */
export type Pages = ReadonlyMap<string, string>;

/** A citation of a page, and of a section, a numbered rule or a row in it. */
export interface Citation {
  readonly page: string;
  readonly place: string;
}

const NUMBER = String.raw`S?\d+(?:\.\d+)*`;
const VERSION = /^\d+\.\d+/;
const HEADING = /^#+ (?:(\d+(?:\.\d+)*)\.? )?(.*)$/;
const NUMBERED = /^(\d+)\. /;
const NAMED = /^- \*\*(S\d+)\*\*/;
const ROW = /^\| *([^|]*?) *\|/;
/** Matches citations that are not spelled as CONTRIBUTING.md prescribes. */
const OTHER_SPELLING =
  /\b(?:PAGE|design),?\s(?:section|trap|rule|step|row|decision|surprise)s? \d|\b(?:PAGE|design), S?\d|\bdesign,? (?:S\d|[A-Z])/g;

/**
 * Returns the places of a page that can be cited:
 * - numbers of sections (`1.10`), of rules in them (`2.3.5`), and of rules on pages whose sections have no numbers
 *   (`8`, `S7`)
 * - titles of sections and of rows
 * - rules under a title (`Surprises 5`)
 * - rows of a section that begin with a version (`9.3, 6.2.0`)
 */
export function placesOf(page: string): ReadonlySet<string> {
  const places = new Set<string>();
  let section = { number: '', title: '' };
  for (const line of page.split('\n')) {
    const heading = HEADING.exec(line);
    if (heading) {
      section = { number: heading[1] ?? '', title: withoutRemark(heading[2] ?? '') };
      places.add(section.number).add(section.title);
      continue;
    }
    const rule = NUMBERED.exec(line)?.[1];
    if (rule !== undefined) {
      places.add(section.number === '' ? rule : `${section.number}.${rule}`).add(`${section.title} ${rule}`);
    }
    const row = ROW.exec(line)?.[1] ?? '';
    const version = row.split(' ')[0] ?? '';
    places.add(row);
    if (VERSION.test(version)) places.add(`${section.number}, ${version}`);
    places.add(NAMED.exec(line)?.[1] ?? '');
  }
  places.delete('');
  return places;
}

/** Returns every citation in a text. The text may be a comment of several lines that begin with a star or slashes. */
export function citationsIn(text: string, pages: Pages): readonly Citation[] {
  const line = asOneLine(text);
  return [...numbersIn(line, pages), ...titlesIn(line, pages)];
}

/** Returns the parts of a text that look like citations but are not spelled like one. */
export function otherSpellingsIn(text: string, pages: Pages): readonly string[] {
  const pattern = new RegExp(OTHER_SPELLING.source.replaceAll('PAGE', [...pages.keys()].join('|')), 'g');
  return [...asOneLine(text).matchAll(pattern)].map(([found]) => found);
}

/**
 * Yields the citations that consist of a page and numbers: `completion 1.10`, `completion 1.4 and 1.5`, `security S7,
 * S8 and S9`, `reference 9.3, 6.2.0`.
 */
function* numbersIn(line: string, pages: Pages): Generator<Citation> {
  const list = `${NUMBER}(?:(?:, | and | to )${NUMBER})*`;
  for (const match of line.matchAll(new RegExp(`\\b(${[...pages.keys()].join('|')}) (${list})`, 'gi'))) {
    const page = (match[1] ?? '').toLowerCase();
    let section = '';
    for (const [, joint, number] of (match[2] ?? '').matchAll(new RegExp(`(^|, | and | to )(${NUMBER})`, 'g'))) {
      const isRow = joint === ', ' && /^\d/.test(number ?? '');
      yield { page, place: isRow ? `${section}, ${number}` : (number ?? '') };
      if (!isRow) section = number ?? '';
    }
  }
}

/**
 * Yields the citations that consist of a page and a title, such as `legacy-peer, State machine`. The place is the
 * longest title of the page that matches, or else the text up to the end of the clause.
 */
function* titlesIn(line: string, pages: Pages): Generator<Citation> {
  for (const match of line.matchAll(
    /\b([Cc]ompletion|[Aa]rchitecture|[Ll]egacy-peer)(?:, (?=[A-Z]|sensu-client)|(?=\)))/g,
  )) {
    const page = (match[1] ?? '').toLowerCase();
    const rest = line.slice(match.index + match[0].length);
    const titles = [...placesOf(pages.get(page) ?? '')].filter((title) => rest.startsWith(title));
    const longest = titles.toSorted((one, other) => other.length - one.length)[0];
    yield { page, place: longest ?? (/^[^).;:]*/.exec(rest)?.[0] || 'no place') };
  }
}

/** Returns a title without the remark in parentheses at its end. */
function withoutRemark(title: string): string {
  return title.replace(/ *\(.*$/, '');
}

function asOneLine(text: string): string {
  return text.replaceAll(/\n\s*(?:\*|\/\/)?\s*/g, ' ');
}
