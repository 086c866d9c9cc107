/** The part of Eleventy that the site is built with: it comes without types. */
declare module '@11ty/eleventy' {
  /** A page as it was written. */
  export interface EleventyResult {
    /** Of the source, from the folder of the repository: `./docs/tls.md`. */
    readonly inputPath: string;
    readonly outputPath: string;
    /** From the top of the site: `/tls.html`. */
    readonly url: string;
    readonly content: string;
  }

  /** The variables of a page, which its markdown is rendered with. */
  export interface EleventyData {
    readonly page: { readonly inputPath: string; readonly filePathStem: string };
  }

  export interface EleventyConfig {
    setTemplateFormats(formats: readonly string[]): void;
    setUseGitIgnore(isUsed: boolean): void;
    addGlobalData(name: string, value: unknown): void;
    /** A page without a file. */
    addTemplate(path: string, content: string): void;
    amendLibrary(name: 'md', amend: (markdown: MarkdownIt) => void): void;
    addTransform(name: string, transform: (this: { readonly page: EleventyResult }, content: string) => string): void;
    on(event: 'eleventy.after', task: (written: { readonly results: readonly EleventyResult[] }) => unknown): void;
  }

  /** The part of markdown-it, which Eleventy renders with. */
  export interface MarkdownIt {
    readonly core: { readonly ruler: { push(name: string, rule: (state: MarkdownState) => void): void } };
  }

  export interface MarkdownState {
    readonly tokens: readonly MarkdownToken[];
    readonly env: EleventyData;
  }

  export interface MarkdownToken {
    readonly type: string;
    /** As it is written. */
    readonly content: string;
    readonly children: readonly MarkdownToken[] | null;
    attrGet(name: string): string | null;
    attrSet(name: string, value: string): void;
  }

  export class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { readonly quietMode: boolean; readonly config: (config: EleventyConfig) => unknown },
    );
    init(): Promise<void>;
    write(): Promise<unknown>;
    watch(): Promise<void>;
  }
}
