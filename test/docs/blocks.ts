/** A fenced block of a page, with the attributes from its first line. */
export interface Block {
  /** Number of the line at which the block begins, from 1. */
  readonly line: number;
  /** The language of the block, such as `sh`, `yaml` or `text`; empty if it has none. */
  readonly language: string;
  /** The attributes after the language, such as `untested=systemd` or `exit=3`. Code forges do not show them. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Returns the fenced blocks of a page, in order. The indentation of blocks in lists is removed. */
export function blocksOf(page: string): readonly Block[] {
  const lines = page.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent = '', language = '', rest = ''] = /^( *)```(\w*) ?(.*)$/.exec(lines[at] ?? '') ?? [];
    if (!lines[at]?.startsWith(`${indent}\`\`\``)) continue;
    const end = lines.indexOf(`${indent}\`\`\``, at + 1);
    if (end === -1) throw new Error(`line ${String(at + 1)} begins a block that has no end`);
    const text = lines.slice(at + 1, end).map((line) => line.slice(indent.length));
    blocks.push({ line: at + 1, language, attributes: attributesOf(rest), text: text.join('\n') });
    at = end;
  }
  return blocks;
}

function attributesOf(text: string): Readonly<Record<string, string>> {
  const words = text.split(' ').filter((word) => word !== '');
  return Object.fromEntries(words.map((word) => [word.split('=')[0] ?? '', word.split('=')[1] ?? '']));
}

/**
 * Returns the file name of a configuration block, which is in a comment on its first line: `# conf.d/checks.yml`.
 * Returns `undefined` for other blocks.
 */
export function fileOf({ text }: Block): string | undefined {
  return /^(?:#|\/\/) (\S+\.(?:ya?ml|json))\n/.exec(text)?.[1];
}
