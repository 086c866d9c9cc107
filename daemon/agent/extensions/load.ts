import { availableParallelism, loadavg } from 'node:os';
import { z } from 'zod';
import { defineExtension, finding, numberSchema, statusOver } from './extension.ts';

const MINUTES = [1, 5, 15] as const;

const parametersSchema = z.strictObject({
  /** Running and runnable processes per core. */
  warning: numberSchema.default(2),
  critical: numberSchema.default(4),
  /** The minutes of the average. */
  minutes: numberSchema.pipe(z.literal(MINUTES)).default(5),
});

/** Checks the load of the processors. */
export const load = defineExtension('load', parametersSchema, ({ minutes, ...limits }) => {
  const cores = availableParallelism();
  const perCore = (loadavg()[MINUTES.indexOf(minutes)] ?? 0) / cores;
  return finding(
    'load',
    statusOver(perCore, limits),
    `${perCore.toFixed(2)} per core over ${String(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}, ` +
      `on ${String(cores)} ${cores === 1 ? 'core' : 'cores'} ` +
      `(warning at ${String(limits.warning)}, critical at ${String(limits.critical)})`,
  );
});
