import { availableParallelism, loadavg } from 'node:os';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema, statusForMaximum } from './extension.ts';

const LOAD_AVERAGE_MINUTES = [1, 5, 15] as const;

const parametersSchema = z.strictObject({
  /** Load average per core at which the status is WARNING. The load average counts running and runnable processes. */
  warning: numberSchema.default(2),
  critical: numberSchema.default(4),
  /** Period of the load average in minutes. */
  minutes: numberSchema.pipe(z.literal(LOAD_AVERAGE_MINUTES)).default(5),
});

/** Checks the load average of the machine per processor core. */
export const load = defineExtension('load', parametersSchema, ({ minutes, ...limits }) => {
  const cores = availableParallelism();
  const perCore = (loadavg()[LOAD_AVERAGE_MINUTES.indexOf(minutes)] ?? 0) / cores;
  return extensionResult(
    'load',
    statusForMaximum(perCore, limits),
    `${perCore.toFixed(2)} per core over ${String(minutes)} ${minutes === 1 ? 'minute' : 'minutes'}, ` +
      `on ${String(cores)} ${cores === 1 ? 'core' : 'cores'} ` +
      `(warning at ${String(limits.warning)}, critical at ${String(limits.critical)})`,
  );
});
