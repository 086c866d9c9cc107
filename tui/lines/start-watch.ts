import { watchEvents, type WatchOptions, type WatchTools } from './watch.ts';

/**
 * Number of bytes in the output buffer above which `watchEvents` prints nothing until the reader catches up; the usual
 * capacity of a pipe.
 */
const BACKLOG_MAX = 64 * 1024;

/** Runs `mon watch` on standard output, until it ends with an exit code. */
export async function startWatch(options: WatchOptions, clock: WatchTools['clock']): Promise<void> {
  // The reader of the output, such as `head`, may close it early, which is not a failure.
  process.stdout.on('error', () => process.exit(0));
  process.exitCode = await watchEvents(options, {
    clock,
    write: (text) => process.stdout.write(text),
    isDrained: () => process.stdout.writableLength < BACKLOG_MAX,
    warn: (text) => void process.stderr.write(`mon: ${text}\n`),
  });
}
