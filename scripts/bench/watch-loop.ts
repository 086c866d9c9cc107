// Loaded into a backend before it starts (`--import`): tells who started it by how much its event loop was late.
import { monitorEventLoopDelay } from 'node:perf_hooks';

const delay = monitorEventLoopDelay({ resolution: 1 });
delay.enable();
process.on('message', () => {
  process.send?.({ p999: delay.percentile(99.9) / 1e6, max: delay.max / 1e6 });
  delay.reset();
});
// The backend ends when it has nothing else to do.
process.channel?.unref();
