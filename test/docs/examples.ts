/** A message in a document. */
export interface Example {
  /** The section that it stands in. */
  readonly section: string;
  readonly type: string;
  readonly text: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Every JSON example of a document, with the section that it stands in. */
export function examplesOf(page: string): readonly Example[] {
  return page.split(/^## /m).flatMap((section) => {
    const title = section.split('\n')[0] ?? '';
    return Array.from(section.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, text = '']) => {
      const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
      return { section: title, type: String(message['type']), text, message };
    });
  });
}

/** The types of the examples of a section, each once, in order of the alphabet. */
export function typesIn(examples: readonly Example[], section: string): readonly string[] {
  const types = examples.filter((example) => example.section === section).map(({ type }) => type);
  return [...new Set(types)].toSorted();
}
