import { watch, type WatchOptions, type WatchTools } from './watch.ts';

/** Capacity of a pipe; no more than this is buffered for a slow reader. */
const BACKLOG_MAX = 64 * 1024;

/** Runs `mon watch` on standard output. */
export async function startWatch(options: WatchOptions, clock: WatchTools['clock']): Promise<void> {
  // The reader of the output may close it early, as `head` does.
  process.stdout.on('error', () => process.exit(0));
  process.exitCode = await watch(options, {
    clock,
    write: (text) => process.stdout.write(text),
    isDrained: () => process.stdout.writableLength < BACKLOG_MAX,
    warn: (text) => void process.stderr.write(`mon: ${text}\n`),
  });
}
