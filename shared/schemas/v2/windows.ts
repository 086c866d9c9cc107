import { z } from 'zod';
import { parseTimeOfDay, timeWindowsSchema, type TimeWindows } from '../time-window.ts';

const daysSchema = z.looseObject({
  days: z
    .record(z.string(), z.array(z.unknown()).nullish())
    .nullish()
    .describe(
      'Windows by the day on which they begin: `all`, or `sunday` to `saturday`. A window has the times of day `begin`' +
        ' and `end`, such as `5:00 PM`.',
    ),
});

/** Time windows of the v2 API. Days with null or an empty list count as absent. */
export const v2WindowsSchema = daysSchema.superRefine((windows, context) => {
  const days = usedDays(windows);
  if (days === undefined) return;
  const parsed = timeWindowsSchema.safeParse({ days });
  for (const { path, message } of parsed.error?.issues ?? []) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});

/**
 * Converts v2 time windows to the v1 form. In the v2 API, times without a zone are in UTC, so that zone is added.
 *
 * @returns undefined if there are no windows
 */
export function timeWindowsOf(windows: z.infer<typeof daysSchema> | null | undefined): TimeWindows | undefined {
  const days = windows === null || windows === undefined ? undefined : usedDays(windows);
  if (days === undefined) return undefined;
  const parsed = timeWindowsSchema.parse({ days });
  return {
    ...parsed,
    days: Object.fromEntries(Object.entries(parsed.days).map(([day, list]) => [day, list.map(toUtcWindow)])),
  };
}

type V2TimeWindow = TimeWindows['days'][string][number];

function toUtcWindow(window: V2TimeWindow): V2TimeWindow {
  const { begin, end } = window;
  return { ...window, begin: addUtcZone(begin), end: addUtcZone(end) };
}

function addUtcZone(time: string): string {
  return parseTimeOfDay(time)?.zone === undefined ? `${time.trim()} UTC` : time;
}

function usedDays({ days }: z.infer<typeof daysSchema>): Record<string, unknown> | undefined {
  const used = Object.entries(days ?? {}).filter(([, windows]) => (windows?.length ?? 0) > 0);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}
