/**
 * Returns the anchor of a heading as code forges build it: in lower case, with hyphens for spaces and without
 * punctuation.
 */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

/**
 * Returns a function that returns the anchors of one page. It must be called for each heading in order: a repeated
 * anchor gets a number.
 */
export function anchorsOnPage(): (title: string) => string {
  const times = new Map<string, number>();
  return (title) => {
    const anchor = anchorOf(title);
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${String(before)}`;
  };
}
