// Module that is loaded into a backend before its start (`--import`). It reports the delays of the event loop to the
// parent process on request.
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();

/** CPU time between two iterations of the event loop, in microseconds. */
const work = createHistogram();
const ownMicroseconds = (): number => {
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
let last = ownMicroseconds();
setInterval(() => {
  const now = ownMicroseconds();
  work.record(Math.max(1, Math.round(now - last)));
  last = now;
}, 1).unref();

process.on('message', () => {
  process.send?.({
    late: { p999: delay.percentile(99.9) / 1e6, max: delay.max / 1e6 },
    work: { p999: work.percentile(99.9) / 1e3, max: work.max / 1e3 },
  });
  delay.reset();
  work.reset();
});
// The channel to the parent process must not keep the backend alive.
process.channel?.unref();
