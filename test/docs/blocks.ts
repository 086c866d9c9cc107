/** A fenced block of a page: what is in it, and what its first line says about it. */
export interface Block {
  /** Where it begins, from 1. */
  readonly line: number;
  /** `sh`, `yaml`, `text` and so on; empty: none. */
  readonly language: string;
  /** What stands behind the language: `untested=systemd`, `exit=3`. Forges do not show it. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The fenced blocks of a page, in their order; those in lists without what they are indented by. */
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

/** The file that a block of a configuration is: its first line is a comment with the name, `# conf.d/checks.yml`. */
export function fileOf({ text }: Block): string | undefined {
  return /^(?:#|\/\/) (\S+\.(?:ya?ml|json))\n/.exec(text)?.[1];
}
