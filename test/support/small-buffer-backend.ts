import { parseArgs } from 'node:util';
import { compose } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { SystemClock } from '../../daemon/clock/system-clock.ts';
import { LineWriter } from '../../daemon/log/line-writer.ts';
import { createLog } from '../../daemon/log/log.ts';

/**
 * A backend program like `mon-backend start`, but with small store buffers. The store often starts a new log file and
 * writes tables, so that the disk can fail during these operations too.
 */
const { values } = parseArgs({
  allowPositionals: true,
  options: { 'state-dir': { type: 'string', default: '' }, port: { type: 'string', default: '0' } },
});
const destination = new LineWriter(undefined, 1);
const log = createLog({ component: 'backend', level: 'info', requestLevel: 'debug', destination });
const backend = await compose({
  config: await loadConfig({ directories: [], env: {} }),
  openStore: () => openLevelStore(values['state-dir'], { writeBufferBytes: 64 * 1024 }),
  clock: new SystemClock(),
  log,
  bind: '127.0.0.1',
  port: Number(values.port),
});
log.info({ url: backend.url }, 'backend started');
process.once('SIGTERM', () => void backend.stop());
