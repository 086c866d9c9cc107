import type { MarkdownIt, MarkdownState, MarkdownToken } from '@11ty/eleventy';
import { anchorsOnPage } from './anchors.ts';
import { linkTarget, relativeLink, sitePath } from './site-paths.ts';

/**
 * Adapts the Markdown renderer to the site: headings get the anchors that code forges build, and links lead to pages of
 * the site.
 *
 * @param sourceOf returns the repository path of an Eleventy input path
 * @param onLink callback that receives the repository path of every link target
 */
export function amendMarkdown(
  markdown: MarkdownIt,
  sourceOf: (inputPath: string) => string,
  onLink: (source: string) => void,
): void {
  markdown.core.ruler.push('anchors', anchorHeadings);
  markdown.core.ruler.push('links', ({ tokens, env }) => {
    const source = sourceOf(env.page.inputPath);
    for (const token of tokens.flatMap((block) => [block, ...(block.children ?? [])])) {
      refuseHtml(token, source);
      const link = token.type === 'link_open' ? linkTarget(source, token.attrGet('href') ?? '') : undefined;
      if (link === undefined) continue;
      onLink(link.target);
      token.attrSet('href', `${relativeLink(sitePath(source), sitePath(link.target))}${link.anchor}`);
    }
  });
}

function anchorHeadings({ tokens }: MarkdownState): void {
  const anchor = anchorsOnPage();
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchor(tokens[index + 1]?.content ?? ''));
  }
}

/** Rejects HTML in the Markdown: `<host>` outside of backquotes would be an invisible tag. */
function refuseHtml({ type, content }: MarkdownToken, source: string): void {
  if (!type.startsWith('html_') || /^\s*<!--/.test(content)) return;
  throw new Error(`${source}: ${content.trim()} is HTML: put it into backquotes, or write it as markdown`);
}
