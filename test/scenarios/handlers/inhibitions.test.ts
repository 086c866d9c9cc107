import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { HANDLER_JOB_PREFIX } from '../../../daemon/backend/model/notify/delivery/storage.ts';
import { openLevelStore } from '../../../daemon/backend/store/level-store.ts';
import { openApiClient } from '../../../shared/client/api-client.ts';
import type { HandlerJob } from '../../../shared/schemas/handler-job.ts';
import { startDaemon, type DaemonProcess } from '../../support/start-daemon.ts';
import { tempDir } from '../../support/temp-dir.ts';

const HOSTS = Array.from({ length: 120 }, (_, at) => `host-${String(at)}`);
const RULE = { source: 'check=uplink status=crit', target: 'check!=uplink', equal: ['client.rack'] };

interface SentNotification {
  readonly client: { readonly name: string };
  readonly inhibition_ended?: true;
}

test(
  'all pending notifications are sent when an inhibition rule is removed while the backend is killed',
  { tags: 'slow' },
  async () => {
    const dir = await tempDir();
    const [configFile, lines] = [join(dir, 'backend.json'), join(dir, 'notifications')];
    const handlers = {
      default: { type: 'pipe', command: `tr -d '\\n' >> ${lines} && echo >> ${lines}`, concurrency: 1 },
    };
    const configure = (inhibitions: object): Promise<void> =>
      writeFile(configFile, JSON.stringify({ handlers, inhibitions }));
    const start = (): Promise<DaemonProcess> =>
      startDaemon({ stateDir: join(dir, 'state'), args: ['--config', configFile] });
    const notifications = async (): Promise<SentNotification[]> =>
      (await readFile(lines, 'utf8').catch(() => ''))
        .split('\n')
        .flatMap((line) => (line.endsWith('}') ? (JSON.parse(line) as SentNotification) : []));

    await configure({ uplink: RULE });
    await using first = await start();
    const api = openApiClient({ backend: first.url });
    await Promise.all(['switch', ...HOSTS].map((name) => api.saveClient({ name, address: '192.0.2.1', rack: 'a' })));
    await api.submitResult({ source: 'switch', name: 'uplink', output: 'down', status: 2 });
    await vi.waitFor(async () => expect(await notifications()).toHaveLength(1));
    await Promise.all(HOSTS.map((source) => api.submitResult({ source, name: 'ping', output: 'lost', status: 2 })));
    expect(await notifications()).toHaveLength(1);

    await configure({});
    process.kill(first.pid, 'SIGHUP');
    await vi.waitFor(async () => expect((await notifications()).length).toBeGreaterThan(1));
    await first.end('SIGKILL');
    // The end of these runs was not stored before the kill, so they run again, whether or not they delivered their
    // notification.
    const unfinished = await storedRuns(join(dir, 'state'));

    await using second = await start();
    expect(second.url).not.toBe('');
    await vi.waitFor(
      async () => {
        const released = (await notifications()).filter(({ inhibition_ended: ended }) => ended === true);
        expect(new Set(released.map(({ client }) => client.name))).toEqual(new Set(HOSTS));
      },
      { timeout: 60_000 },
    );
    const released = (await notifications()).filter(({ inhibition_ended: ended }) => ended === true);
    const times = Map.groupBy(released, ({ client }) => client.name);
    const tooOften = HOSTS.filter((host) => (times.get(host)?.length ?? 0) > (unfinished.has(host) ? 2 : 1));
    expect(tooOften).toEqual([]);
  },
);

/** Returns the clients of the handler runs that are stored as pending. */
async function storedRuns(stateDir: string): Promise<ReadonlySet<string>> {
  const store = await openLevelStore(stateDir);
  const clients = new Set<string>();
  for await (const [, value] of store.scan([HANDLER_JOB_PREFIX])) clients.add((JSON.parse(value) as HandlerJob).client);
  await store.close();
  return clients;
}
