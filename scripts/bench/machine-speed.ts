import { mkdtemp, open, rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { checkJson } from './bench-agent.ts';
import type { MachineSpeed } from './bench-file.ts';

const BUILD_DIRECTORY = fileURLToPath(new URL('../../build/', import.meta.url));
const MEASURED_MS = 300;
const BLOCK_BYTES = Buffer.alloc(4096, 'x');

/** Measures the current speed of one core, and of the disk on which the benchmarks store their state. */
export async function machineSpeed(): Promise<MachineSpeed> {
  return { jsonParsesPerSecond: jsonParses(), fsyncsPerSecond: await measureFsyncs() };
}

/** Returns how often per second one core can parse the JSON of a result of 600 bytes. */
function jsonParses(): number {
  const text = checkJson('disk', 0);
  const [startedAt, perLook] = [performance.now(), 1000];
  let parsed = 0;
  while (performance.now() - startedAt < MEASURED_MS) {
    for (let at = 0; at < perLook; at++) JSON.parse(text);
    parsed += perLook;
  }
  return (parsed * 1000) / (performance.now() - startedAt);
}

/** Returns the number of `fdatasync` calls per second; before each call, a block of 4 KiB is appended to a file. */
async function measureFsyncs(): Promise<number> {
  const dir = await mkdtemp(`${BUILD_DIRECTORY}bench-disk-`);
  try {
    await using file = await open(`${dir}/appended`, 'a');
    const startedAt = performance.now();
    let done = 0;
    for (; performance.now() - startedAt < MEASURED_MS; done++) {
      await file.write(BLOCK_BYTES);
      await file.datasync();
    }
    return (done * 1000) / (performance.now() - startedAt);
  } finally {
    await rm(dir, { recursive: true });
  }
}
