/** Type declarations for the part of Eleventy that the site uses; Eleventy does not ship types. */
declare module '@11ty/eleventy' {
  /** A page that Eleventy has written. */
  export interface EleventyResult {
    /** Source path, relative to the repository: `./docs/tls.md`. */
    readonly inputPath: string;
    readonly outputPath: string;
    /** URL path of the page in the site, such as `/tls.html`. */
    readonly url: string;
    readonly content: string;
  }

  /** The page data that is available while its Markdown is rendered. */
  export interface EleventyData {
    readonly page: { readonly inputPath: string; readonly filePathStem: string };
  }

  export interface EleventyConfig {
    setTemplateFormats(formats: readonly string[]): void;
    setUseGitIgnore(isUsed: boolean): void;
    addGlobalData(name: string, value: unknown): void;
    /** Adds a generated page, which has no source file. */
    addTemplate(path: string, content: string): void;
    amendLibrary(name: 'md', amend: (markdown: MarkdownIt) => void): void;
    addTransform(name: string, transform: (this: { readonly page: EleventyResult }, content: string) => string): void;
    on(event: 'eleventy.after', task: (written: { readonly results: readonly EleventyResult[] }) => unknown): void;
  }

  /** The part of the API of markdown-it, the Markdown renderer of Eleventy, that the site uses. */
  export interface MarkdownIt {
    readonly core: { readonly ruler: { push(name: string, rule: (state: MarkdownState) => void): void } };
  }

  export interface MarkdownState {
    readonly tokens: readonly MarkdownToken[];
    readonly env: EleventyData;
  }

  export interface MarkdownToken {
    readonly type: string;
    /** The source text of the token, before rendering. */
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
