/** What a link to a heading is made of, as forges do: its letters and digits, with hyphens for what is between them. */
function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-');
}

/** Anchors for the headings of one page in their order: one that is there already gets a number. */
export function anchorsOnPage(): (title: string) => string {
  const times = new Map<string, number>();
  return (title) => {
    const anchor = anchorOf(title);
    const before = times.get(anchor) ?? 0;
    times.set(anchor, before + 1);
    return before === 0 ? anchor : `${anchor}-${String(before)}`;
  };
}
