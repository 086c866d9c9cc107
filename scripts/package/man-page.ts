import { parseHelp, type Help, type HelpSection } from './help-text.ts';

/** What a page is about. */
interface Subject {
  readonly name: string;
  readonly section: 1 | 8;
  readonly version: string;
  /** Seconds since the epoch: of what it was made from. */
  readonly dateS: number;
  readonly summary: string;
  /** Pages that a reader may want next: `monctl(1)`. */
  readonly seeAlso: readonly string[];
}

/** Sections that are shown as they stand. */
const VERBATIM: ReadonlySet<string> = new Set(['Usage', 'Synopsis', 'Examples', 'Signals']);

/** A page of the manual in the language of man(7), of what `--help` says. */
export function manPage(subject: Subject, help: string, more: readonly string[] = []): string {
  return [
    ...header(subject),
    ...helpLines(subject, parseHelp(help)),
    ...more,
    '.SH SEE ALSO',
    escaped(subject.seeAlso.join(', ')),
    '',
  ].join('\n');
}

/**
 * A page of a program with many commands: its own help, then that of each command without what all of them have.
 *
 * @param commands their help, by what is typed
 */
export function manPageOfCommands(subject: Subject, help: string, commands: ReadonlyMap<string, string>): string {
  const common = new Set(
    parseHelp(help)
      .sections.map(({ title }) => title)
      .filter((title) => !VERBATIM.has(title)),
  );
  const sections = Array.from(commands, ([words, text]) => {
    const { sections: all } = parseHelp(text);
    const own = all.filter(({ title }) => !common.has(title));
    return [`.SS ${escaped(words)}`, ...own.flatMap((section) => bodyOf(section))];
  });
  return manPage(subject, help, ['.SH COMMANDS IN DETAIL', ...sections.flat()]);
}

function header({ name, section, version, dateS, summary }: Subject): readonly string[] {
  const date = new Date(dateS * 1000).toISOString().slice(0, 10);
  return [
    `.TH ${name.toUpperCase()} ${String(section)} ${date} "mon ${version}" "mon"`,
    '.SH NAME',
    `${escaped(name)} \\- ${escaped(summary)}`,
  ];
}

function helpLines({ name, summary }: Subject, { paragraphs, sections }: Help): readonly string[] {
  const said = [`${name} ${summary}.`, ...paragraphs].flatMap((paragraph) => ['.PP', escaped(paragraph)]);
  const [first, ...others] = sections.map((section) => [`.SH ${titleOf(section.title)}`, ...bodyOf(section)]);
  return [...(first ?? []), '.SH DESCRIPTION', ...said, ...others.flat()];
}

function titleOf(title: string): string {
  return escaped(title === 'Usage' ? 'SYNOPSIS' : title.toUpperCase());
}

function bodyOf({ title, lines, entries }: HelpSection): readonly string[] {
  if (VERBATIM.has(title)) return ['.PP', '.nf', ...lines.map((line) => escaped(line)), '.fi'];
  const isTable = entries.every(({ text }) => text !== '');
  if (!isTable) return entries.flatMap(({ term, text }) => ['.PP', escaped(`${term} ${text}`.trim())]);
  return entries.flatMap(({ term, text }) => ['.TP', `.B ${escaped(term)}`, escaped(text)]);
}

/** A backslash begins an escape, a hyphen is not a minus, and a dot or a quote begins a request at the start of a line. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll("'", String.raw`\(aq`)
    .replace(/^\./, String.raw`\&.`);
}
