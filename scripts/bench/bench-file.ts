import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const speedSchema = z.object({ jsonParsesPerSecond: z.number().positive(), fsyncsPerSecond: z.number().positive() });

const runSchema = z.object({
  name: z.string(),
  startedAt: z.iso.datetime(),
  /** Speed of the machine just before the benchmark, and just after it. */
  speed: z.tuple([speedSchema, speedSchema]),
  /** Load average of the minute before the benchmark. */
  load: z.number(),
  /** The reported figures. A value is null if it was not measured, for example the median of no values. */
  figures: z.array(z.object({ what: z.string(), values: z.array(z.number().nullable()), unit: z.string() })),
});

/** Schema of the file that `npm run bench -- all` writes. */
const benchFileSchema = z.object({
  commit: z.string(),
  node: z.string(),
  cpu: z.string(),
  cores: z.int(),
  benches: z.array(runSchema),
});

export type MachineSpeed = z.infer<typeof speedSchema>;
export type BenchRun = z.infer<typeof runSchema>;
export type BenchFile = z.infer<typeof benchFileSchema>;

/**
 * Reads and validates a file of figures.
 *
 * @throws Error that names the file and the problem
 */
export async function readBenchFile(file: string): Promise<BenchFile> {
  const text = await readFile(file, 'utf8');
  const { success, data, error } = benchFileSchema.safeParse(parseJsonFile(text, file));
  if (success) return data;
  throw new Error(`${file} is not what 'npm run bench -- all' writes: ${z.prettifyError(error)}`);
}

function parseJsonFile(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${String(error)}`, { cause: error });
  }
}
