import { z } from 'zod';
import { timeWindowsSchema, type TimeWindows } from '../time-window.ts';

const daysSchema = z.looseObject({ days: z.record(z.string(), z.array(z.unknown()).nullish()).nullish() });

/**
 * Windows of time as the newer API writes them: days without a window may be there as null or as an empty list, and count
 * as absent.
 */
export const coreWindowsSchema = daysSchema.superRefine((windows, context) => {
  const days = usedDays(windows);
  if (days === undefined) return;
  const parsed = timeWindowsSchema.safeParse({ days });
  for (const { path, message } of parsed.error?.issues ?? []) {
    context.addIssue({ code: 'custom', path: [...path], message });
  }
});

/** @returns undefined when they name no time at all */
export function timeWindowsOf(windows: z.infer<typeof daysSchema> | null | undefined): TimeWindows | undefined {
  const days = windows === null || windows === undefined ? undefined : usedDays(windows);
  return days === undefined ? undefined : timeWindowsSchema.parse({ days });
}

function usedDays({ days }: z.infer<typeof daysSchema>): Record<string, unknown> | undefined {
  const used = Object.entries(days ?? {}).filter(([, windows]) => (windows?.length ?? 0) > 0);
  return used.length === 0 ? undefined : Object.fromEntries(used);
}
