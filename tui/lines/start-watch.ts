import { watch, type WatchOptions, type WatchTools } from './watch.ts';

/** A pipe holds this much before anybody must have read; more than that is not pushed after it. */
const BACKLOG_MAX = 64 * 1024;

/** `mon watch` on standard output. */
export async function startWatch(options: WatchOptions, clock: WatchTools['clock']): Promise<void> {
  // Who was reading has read enough, as `head` does.
  process.stdout.on('error', () => process.exit(0));
  process.exitCode = await watch(options, {
    clock,
    write: (text) => process.stdout.write(text),
    isDrained: () => process.stdout.writableLength < BACKLOG_MAX,
    warn: (text) => void process.stderr.write(`mon: ${text}\n`),
  });
}
