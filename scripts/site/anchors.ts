/** Returns the anchor of a heading as code forges build it: its letters and digits, with hyphens in between. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

/** Returns a function that builds the anchors of one page in order: a repeated anchor gets a number. */
export function anchorsOnPage(): (title: string) => string {
  const times = new Map<string, number>();
  return (title) => {
    const anchor = anchorOf(title);
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${String(before)}`;
  };
}
