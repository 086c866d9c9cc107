import type { MarkdownIt, MarkdownState, MarkdownToken } from '@11ty/eleventy';
import { anchorsOnPage } from './anchors.ts';
import { pictureSize } from './pictures.ts';
import { isPicture, linkTarget, relativeLink, sitePath } from './site-paths.ts';

/**
 * Adapts the Markdown renderer to the site: headings get the anchors that code forges build, links lead to pages of the
 * site, and pictures get their size, so that the text below them does not move when they are loaded.
 *
 * @param sourceOf returns the repository path of an Eleventy input path
 * @param onLink callback that receives the repository path of every link target and picture
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
      if (token.type === 'image') onLink(amendPicture(token, source));
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

/** Sets the address and the size of a picture, and returns its path in the repository. */
function amendPicture(token: MarkdownToken, source: string): string {
  const target = linkTarget(source, token.attrGet('src') ?? '')?.target;
  if (target === undefined || !isPicture(target)) throw new Error(`${source}: a picture must be a PNG file in docs`);
  if (token.content === '') throw new Error(`${source}: ${target} needs a text that describes the picture`);
  const { width, height } = pictureSize(target);
  token.attrSet('src', relativeLink(sitePath(source), sitePath(target)));
  token.attrSet('width', String(width));
  token.attrSet('height', String(height));
  token.attrSet('loading', 'lazy');
  return target;
}

/** Rejects HTML in the Markdown: `<host>` outside of backquotes would be an invisible tag. */
function refuseHtml({ type, content }: MarkdownToken, source: string): void {
  if (!type.startsWith('html_') || /^\s*<!--/.test(content)) return;
  throw new Error(`${source}: ${content.trim()} is HTML: put it into backquotes, or write it as markdown`);
}
