/** The parsed `--help` of a program. */
export interface Help {
  /** The paragraphs that are not part of a section. */
  readonly paragraphs: readonly string[];
  readonly sections: readonly HelpSection[];
}

export interface HelpSection {
  readonly title: string;
  /** The lines of the section, without its indent. */
  readonly lines: readonly string[];
  /** The rows of a section with two columns: the term and its description. */
  readonly entries: readonly HelpEntry[];
}

export interface HelpEntry {
  readonly term: string;
  readonly text: string;
}

/**
 * Matches a row whose columns are separated by at least two spaces. `FULL_ENTRY_ROW` matches a row whose option fills
 * the first column, so that only one space follows.
 */
const ENTRY_ROW = /^(?<term>.*?) {2,}(?<text>.*)$/;
const FULL_ENTRY_ROW = /^(?<term>--[a-z-]+) (?<text>[a-z].*)$/;

/**
 * Parses a help text. An unindented line that indented lines follow is a heading; any other unindented line is a
 * paragraph.
 */
export function parseHelp(help: string): Help {
  const lines = removeIndent(help.split('\n').map((line) => line.trimEnd()));
  const paragraphs: string[] = [];
  const sections: HelpSection[] = [];
  for (let at = 0; at < lines.length;) {
    const outer = takeLinesWhile(lines, at, (line) => line !== '' && !line.startsWith(' '));
    at += outer.length;
    const inner = takeLinesWhile(lines, at, (line) => line.startsWith(' '));
    at += inner.length;
    if (inner.length > 0) sections.push(sectionOf(outer.join(' '), inner));
    else if (outer.length > 0) paragraphs.push(outer.join(' '));
    if (outer.length + inner.length === 0) at += 1;
  }
  return { paragraphs, sections };
}

/** An option in a help text, with its long and its short spelling: `-c, --config FILE`. */
export interface Option {
  readonly long: string;
  readonly short: string | undefined;
  /** Name of the option's value, such as `FILE`; `undefined` for an option without a value. */
  readonly value: string | undefined;
  readonly text: string;
}

/** Returns every option once, in the order in which the sections list them. */
export function optionsOf({ sections }: Help): readonly Option[] {
  const options = new Map<string, Option>();
  for (const { term, text } of sections.flatMap(({ entries }) => entries)) {
    if (!term.startsWith('-')) continue;
    const value = / (?<value>[A-Z][^ ]*)$/.exec(term)?.groups?.['value'];
    const short = /^-(?<letter>[a-zA-Z]),/.exec(term)?.groups?.['letter'];
    for (const [, long = ''] of term.matchAll(/--([a-z][a-z-]*)/g)) {
      if (!options.has(long)) options.set(long, { long, short, value, text });
    }
  }
  return [...options.values()];
}

/** Returns the command words that may follow the program name, with their descriptions. */
export function commandsOf({ sections }: Help, program: string): readonly HelpEntry[] {
  const usage = sections.find(({ title }) => title === 'Usage')?.entries ?? [];
  const commands = new Map<string, HelpEntry>();
  for (const { term, text } of usage) {
    const word = new RegExp(`^${program} ([a-z][a-z-]*)`).exec(term)?.[1];
    if (word !== undefined && !commands.has(word)) commands.set(word, { term: word, text });
  }
  return [...commands.values()];
}

function sectionOf(title: string, indented: readonly string[]): HelpSection {
  const lines = removeIndent(indented);
  const entries: { term: string; text: string }[] = [];
  for (const line of lines) {
    const last = entries.at(-1);
    if (line.startsWith(' ') && last !== undefined) {
      last.text = `${last.text} ${line.trim()}`.trim();
    } else {
      const { term = line.trim(), text = '' } =
        (ENTRY_ROW.exec(line.trim()) ?? FULL_ENTRY_ROW.exec(line.trim()))?.groups ?? {};
      entries.push({ term, text });
    }
  }
  return { title, lines, entries };
}

function removeIndent(lines: readonly string[]): readonly string[] {
  const indents = lines.filter((line) => line !== '').map((line) => line.length - line.trimStart().length);
  const indent = indents.reduce((least, one) => Math.min(least, one), Infinity);
  return lines.map((line) => line.slice(Math.min(indent, line.length)));
}

function takeLinesWhile(lines: readonly string[], start: number, fits: (line: string) => boolean): readonly string[] {
  const end = lines.findIndex((line, at) => at >= start && !fits(line));
  return lines.slice(start, end === -1 ? lines.length : end);
}
