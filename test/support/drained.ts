import type { FrameStdout } from '../../tui/terminal/frame-stdout.ts';

/** Resolves when the terminal has accepted all output, or is closed. */
export async function waitUntilDrained(stdout: FrameStdout): Promise<void> {
  if (stdout.idle || stdout.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  stdout.once('idle', resolve);
  stdout.once('close', resolve);
  await promise;
}
