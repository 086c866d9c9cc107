// Module that is loaded into a backend before its start (`--import`). It reports the delays of the event loop to the
// parent process on request.
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const delayHistogram = monitorEventLoopDelay({ resolution: 1 });
delayHistogram.enable();

/** CPU time between two iterations of the event loop, in microseconds. */
const workHistogram = createHistogram();
const ownMicroseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
let lastMicroseconds = ownMicroseconds();
setInterval(() => {
  const now = ownMicroseconds();
  workHistogram.record(Math.max(1, Math.round(now - lastMicroseconds)));
  lastMicroseconds = now;
}, 1).unref();

process.on('message', () => {
  process.send?.({
    late: { p999: delayHistogram.percentile(99.9) / 1e6, max: delayHistogram.max / 1e6 },
    work: { p999: workHistogram.percentile(99.9) / 1e3, max: workHistogram.max / 1e3 },
  });
  delayHistogram.reset();
  workHistogram.reset();
});
// The channel to the parent process must not keep the backend alive.
process.channel?.unref();
