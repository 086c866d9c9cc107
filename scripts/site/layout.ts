import { escapeHtmlText, headingsOf, textOf } from './html.ts';
import type { Chapter } from './navigation.ts';
import { INDEX_PAGE } from './navigation.ts';
import { relativeLink, sitePath } from './site-paths.ts';

/** The page that the version in the header links to. */
const CHANGELOG_PAGE = 'CHANGELOG.md';

export interface SitePage {
  /** Path of the page in the site. */
  readonly path: string;
  readonly content: string;
}

/**
 * Returns the complete HTML of a page, with the site's navigation on one side and the page's sections on the other. All
 * addresses are relative.
 *
 * @param version version of `mon` that the site describes
 */
export function renderLayout({ path, content }: SitePage, chapters: readonly Chapter[], version: string): string {
  const to = (target: string): string => relativeLink(path, target);
  const title = textOf(headingsOf(content).find(({ level }) => level === 1)?.html ?? '');
  const isIndex = path === sitePath(INDEX_PAGE);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtmlText(isIndex ? 'mon' : `${title} - mon`)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}" data-top="${to('.') || '.'}" defer></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header>
<a class="name" href="${to(sitePath(INDEX_PAGE))}">mon</a>
<a class="version" href="${to(sitePath(CHANGELOG_PAGE))}" title="Changelog">${escapeHtmlText(version)}</a>
<div class="search" role="search">
<input type="search" placeholder="Search ( / )" aria-label="Search" aria-controls="found" autocomplete="off" hidden>
<div id="found" hidden>
<label><input type="checkbox"> Also search the specifications</label>
<p role="status"></p>
<ol></ol>
</div>
</div>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
<details>
<summary>Pages</summary>
${chapters.map((chapter) => chapterList(chapter, path)).join('\n')}
</details>
</nav>
<main id="content">
${content}
</main>
${renderSections(content)}
</div>
</body>
</html>
`;
}

function chapterList({ title, groups }: Chapter, path: string): string {
  const lists = groups.map((group) => {
    const items = group.pages.map((page) => {
      const target = sitePath(page.source);
      const current = target === path ? ' aria-current="page"' : '';
      return `<li><a href="${relativeLink(path, target)}"${current}>${escapeHtmlText(page.title)}</a></li>`;
    });
    const heading = group.title === '' ? '' : `<h3>${escapeHtmlText(group.title)}</h3>\n`;
    return `${heading}<ul>\n${items.join('\n')}\n</ul>`;
  });
  return `<h2>${escapeHtmlText(title)}</h2>\n${lists.join('\n')}`;
}

function renderSections(content: string): string {
  const headings = headingsOf(content).filter(({ level }) => level === 2 || level === 3);
  if (headings.length < 2) return '';
  const items = headings.map(
    ({ level, id, html }) =>
      `<li class="level-${String(level)}"><a href="#${id}">${escapeHtmlText(textOf(html))}</a></li>`,
  );
  return `<nav class="sections" aria-label="On this page">\n<h2>On this page</h2>\n<ul>\n${items.join('\n')}\n</ul>\n</nav>`;
}
