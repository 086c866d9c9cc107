import { posix } from 'node:path';
import type { SitePage } from './layout.ts';

/** Returns the links of the site whose target page or anchor does not exist, each as `page: link`. */
export function brokenLinks(pages: readonly SitePage[]): readonly string[] {
  const targets = new Set(
    pages.flatMap(({ path, content }) => [
      path,
      ...Array.from(content.matchAll(/ id="([^"]+)"/g), ([, id = '']) => `${path}#${id}`),
    ]),
  );
  return pages.flatMap(({ path, content }) =>
    Array.from(content.matchAll(/<a [^>]*?href="([^"]*)"/g), ([, href = '']) => href)
      .filter((href) => !/^\w+:/.test(href) && !targets.has(targetOf(path, href)))
      .map((href) => `${path}: ${href}`),
  );
}

function targetOf(from: string, href: string): string {
  const [path = '', anchor] = href.split('#');
  const target = path === '' ? from : posix.join(posix.dirname(from), path);
  return anchor === undefined ? target : `${target}#${decodeURIComponent(anchor)}`;
}
