/** The time spans that the user can choose for a timeline. */
export const PAST_SPANS = ['hour', 'day', 'week', 'month'] as const;
export type PastSpan = (typeof PAST_SPANS)[number];

const DAY_MS = 86_400_000;

export const PAST_SPAN_MS: Readonly<Record<PastSpan, number>> = {
  hour: DAY_MS / 24,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
};

/**
 * Returns the id of a timeline: its time span and the key of its event. Names contain no blanks, so the separator is
 * unambiguous.
 */
export function timelineId(span: PastSpan, key: string): string {
  return `${span} ${key}`;
}

export function parseTimelineId(id: string): { readonly span: PastSpan; readonly key: string } {
  const [name = '', ...key] = id.split(' ');
  return { span: PAST_SPANS.find((span) => span === name) ?? 'day', key: key.join(' ') };
}
