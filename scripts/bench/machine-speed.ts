import { mkdtemp, open, rm } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { checkJson } from './bench-agent.ts';
import type { MachineSpeed } from './bench-file.ts';

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));
const MEASURED_MS = 300;
const BLOCK = Buffer.alloc(4096, 'x');

/** Measures the current speed of one core, and of the disk with the state directories. */
export async function machineSpeed(): Promise<MachineSpeed> {
  return { jsonParsesPerSecond: jsonParses(), fsyncsPerSecond: await fsyncs() };
}

/** Returns parses per second of a result with 600 bytes. */
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

/** Returns `fdatasync` calls per second, each after an appended block of 4 KiB. */
async function fsyncs(): Promise<number> {
  const dir = await mkdtemp(`${BUILD}bench-disk-`);
  try {
    await using file = await open(`${dir}/appended`, 'a');
    const startedAt = performance.now();
    let done = 0;
    for (; performance.now() - startedAt < MEASURED_MS; done++) {
      await file.write(BLOCK);
      await file.datasync();
    }
    return (done * 1000) / (performance.now() - startedAt);
  } finally {
    await rm(dir, { recursive: true });
  }
}
