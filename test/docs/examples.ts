/** An example of a protocol message in a document. */
export interface Example {
  /** Title of the section that contains the example. */
  readonly section: string;
  readonly type: string;
  readonly text: string;
  readonly message: Readonly<Record<string, unknown>>;
}

/** Returns every JSON example of a document, each with its section. */
export function examplesOf(page: string): readonly Example[] {
  return page.split(/^## /m).flatMap((section) => {
    const title = section.split('\n')[0] ?? '';
    return Array.from(section.matchAll(/^```json\n([\s\S]*?)^```$/gm), ([, text = '']) => {
      const message = JSON.parse(text) as Readonly<Record<string, unknown>>;
      return { section: title, type: String(message['type']), text, message };
    });
  });
}

/** Returns the message types of a section's examples, without duplicates and in alphabetical order. */
export function typesIn(examples: readonly Example[], section: string): readonly string[] {
  const types = examples.filter((example) => example.section === section).map(({ type }) => type);
  return [...new Set(types)].toSorted();
}
