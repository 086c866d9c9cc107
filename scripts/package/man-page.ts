import { parseHelp, type Help, type HelpSection } from './help-text.ts';

/** The metadata of a manual page. */
interface ManPageSubject {
  readonly name: string;
  readonly section: 1 | 8;
  readonly version: string;
  /** Date of the sources in seconds since the epoch. */
  readonly dateS: number;
  readonly summary: string;
  /** Related manual pages, such as `monctl(1)`. */
  readonly seeAlso: readonly string[];
}

/** Titles of the sections whose lines are printed without reformatting. */
const VERBATIM_SECTIONS: ReadonlySet<string> = new Set(['Usage', 'Synopsis', 'Examples', 'Signals']);

/** Returns a manual page in the markup of man(7), generated from the `--help` text. */
export function manPage(subject: ManPageSubject, help: string, more: readonly string[] = []): string {
  return [
    ...headerLines(subject),
    ...helpLines(subject, parseHelp(help)),
    ...more,
    '.SH SEE ALSO',
    escapeRoff(subject.seeAlso.join(', ')),
    '',
  ].join('\n');
}

/**
 * Returns the manual page of a program with many commands: its own help, followed by the help of each command without
 * the sections that all commands share.
 *
 * @param commands help text of each command, by the words that a user types
 */
export function manPageOfCommands(
  subject: ManPageSubject,
  help: string,
  commands: ReadonlyMap<string, string>,
): string {
  const common = new Set(
    parseHelp(help)
      .sections.map(({ title }) => title)
      .filter((title) => !VERBATIM_SECTIONS.has(title)),
  );
  const sections = Array.from(commands, ([words, text]) => {
    const { sections: all } = parseHelp(text);
    const own = all.filter(({ title }) => !common.has(title));
    return [`.SS ${escapeRoff(words)}`, ...own.flatMap((section) => bodyOf(section))];
  });
  return manPage(subject, help, ['.SH COMMANDS IN DETAIL', ...sections.flat()]);
}

function headerLines({ name, section, version, dateS, summary }: ManPageSubject): readonly string[] {
  const date = new Date(dateS * 1000).toISOString().slice(0, 10);
  return [
    `.TH ${name.toUpperCase()} ${String(section)} ${date} "mon ${version}" "mon"`,
    '.SH NAME',
    `${escapeRoff(name)} \\- ${escapeRoff(summary)}`,
  ];
}

function helpLines({ name, summary }: ManPageSubject, { paragraphs, sections }: Help): readonly string[] {
  const description = [`${name} ${summary}.`, ...paragraphs].flatMap((paragraph) => ['.PP', escapeRoff(paragraph)]);
  const [first, ...others] = sections.map((section) => [`.SH ${titleOf(section.title)}`, ...bodyOf(section)]);
  return [...(first ?? []), '.SH DESCRIPTION', ...description, ...others.flat()];
}

function titleOf(title: string): string {
  return escapeRoff(title === 'Usage' ? 'SYNOPSIS' : title.toUpperCase());
}

function bodyOf({ title, lines, entries }: HelpSection): readonly string[] {
  if (VERBATIM_SECTIONS.has(title)) return ['.PP', '.nf', ...lines.map((line) => escapeRoff(line)), '.fi'];
  const isTable = entries.every(({ text }) => text !== '');
  if (!isTable) return entries.flatMap(({ term, text }) => ['.PP', escapeRoff(`${term} ${text}`.trim())]);
  return entries.flatMap(({ term, text }) => ['.TP', `.B ${escapeRoff(term)}`, escapeRoff(text)]);
}

/**
 * Escapes text for man(7): a backslash starts an escape, an unescaped hyphen is not printed as a minus, and a dot or
 * quote at the start of a line starts a request.
 */
function escapeRoff(text: string): string {
  return text
    .replaceAll('\\', String.raw`\e`)
    .replaceAll('-', String.raw`\-`)
    .replaceAll('"', String.raw`\(dq`)
    .replaceAll("'", String.raw`\(aq`)
    .replace(/^\./, String.raw`\&.`);
}
