/** The views in the order of their numbers. The number is the key that opens the view. */
export const VIEWS = [
  { number: 1, name: 'overview', title: 'Overview' },
  { number: 2, name: 'events', title: 'Events' },
  { number: 3, name: 'silences', title: 'Silences' },
  { number: 4, name: 'aggregates', title: 'Aggregates' },
  { number: 5, name: 'clients', title: 'Clients' },
  { number: 6, name: 'checks', title: 'Checks' },
  { number: 7, name: 'upgrade', title: 'Upgrade' },
  // Views that are not needed every day have no number. They have a tab only while they are shown.
  { number: undefined, name: 'dead-letters', title: 'Dead letters' },
  { number: undefined, name: 'groups', title: 'Groups' },
  { number: undefined, name: 'inhibitions', title: 'Inhibitions' },
  { number: undefined, name: 'on-call', title: 'On call' },
  { number: undefined, name: 'cluster', title: 'Cluster' },
] as const;

export type ViewName = (typeof VIEWS)[number]['name'];

/** Returns whether a view is a page, such as the overview, and not a list. */
export function isPage(name: ViewName): boolean {
  return name === 'overview' || name === 'upgrade';
}

export function viewTitle(name: ViewName): string {
  return VIEWS.find((view) => view.name === name)?.title ?? name;
}
