import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { AgentBackend } from '../../support/agent-backend.ts';
import { canDisksFail, FailingDisk, type Fault } from '../../support/failing-disk.ts';
import { PATIENCE } from '../../support/patience.ts';
import { startAgent, type AgentProcess } from '../../support/start-agent.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** Empty without a C compiler, which the failing disk needs: the tests are then skipped. */
const disks = (await canDisksFail()) ? [FailingDisk] : [];

const FULL: Fault = { calls: ['write'], error: 'ENOSPC' };

interface Scene {
  readonly disk: FailingDisk;
  readonly start: () => AgentProcess;
  /** Submits a result to the agent like a local program, and returns the HTTP response. */
  readonly report: (output: string) => Promise<{ readonly status: number; readonly text: string }>;
  /** Returns the agent's spool status from its HTTP interface. */
  readonly spool: () => Promise<unknown>;
}

async function aScene(Disk: typeof FailingDisk, backend: AgentBackend): Promise<Scene> {
  const dir = await tempDir();
  const [confDir, stateDir] = [join(dir, 'conf.d'), join(dir, 'state')];
  await mkdir(confDir);
  await mkdir(stateDir);
  const port = await freePort();
  const client = { name: 'web-1', socket: { enabled: false }, http_socket: { port } };
  await writeFile(join(confDir, 'client.json'), JSON.stringify({ client }));
  const disk = await Disk.under(stateDir);
  onTestFinished(() => disk.mend());
  const url = `http://127.0.0.1:${String(port)}`;
  return {
    disk,
    start: () => startAgent(['start', '--backend', backend.url, '--state-dir', stateDir, '-d', confDir], disk.env),
    async report(output) {
      const answer = await fetch(`${url}/results`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ name: 'local', output }),
      });
      return { status: answer.status, text: await answer.text() };
    },
    async spool() {
      const answer = (await (await fetch(`${url}/info`)).json()) as { readonly mon: { readonly spool?: unknown } };
      return answer.mon.spool;
    },
  };
}

async function startAgentOnDisk({ start, spool }: Scene): Promise<AgentProcess> {
  const agent = start();
  await vi.waitFor(() => spool());
  return agent;
}

const outputsAt = (backend: AgentBackend): unknown[] => backend.results('local').map(({ output }) => output);

describe.each(disks)('an agent whose disk fails', (Disk) => {
  test(
    'an agent whose disk is full still delivers all results and reports the failing spool until it works',
    { tags: 'slow' },
    async () => {
      let isUp = false;
      const backend = await AgentBackend.open({ refuseWith: () => (isUp ? undefined : 503) });
      const scene = await aScene(Disk, backend);
      await startAgentOnDisk(scene);
      expect(await scene.report('before')).toMatchObject({ status: 202 });
      scene.disk.fail(FULL);
      const reporting = scene.report('meanwhile');
      await vi.waitFor(async () => expect(await scene.spool()).toMatchObject({ unsaved: 1 }));
      isUp = true;
      // The report succeeds although the disk is full: the backend has committed the result.
      expect(await reporting).toMatchObject({ status: 202 });
      expect(outputsAt(backend)).toEqual(['before', 'meanwhile']);
      expect(await scene.report('later')).toMatchObject({ status: 202 });
      await vi.waitFor(() =>
        expect(backend.keepalives.at(-1)).toMatchObject({ spool: { writable: false, dropped: 0 } }),
      );
      scene.disk.mend();
      await vi.waitFor(async () => expect(await scene.spool()).toBeUndefined(), PATIENCE);
      await vi.waitFor(() => expect(backend.keepalives.at(-1)).not.toHaveProperty('spool'));
      expect(outputsAt(backend)).toEqual(['before', 'meanwhile', 'later']);
    },
  );

  test('an agent that could not delete results from its spool delivers none twice after a kill', async () => {
    const backend = await AgentBackend.open();
    const scene = await aScene(Disk, backend);
    const agent = await startAgentOnDisk(scene);
    scene.disk.fail(FULL);
    for (const output of ['a', 'b']) expect(await scene.report(output)).toMatchObject({ status: 202 });
    agent.kill('SIGKILL');
    await agent.ended;
    // The agent starts although it cannot open its spool, because the disk is still full.
    await startAgentOnDisk(scene);
    expect(await scene.report('c')).toMatchObject({ status: 202 });
    scene.disk.mend();
    await vi.waitFor(async () => expect(await scene.spool()).toBeUndefined(), PATIENCE);
    expect(await scene.report('d')).toMatchObject({ status: 202 });
    await vi.waitFor(() => expect(outputsAt(backend)).toEqual(['a', 'b', 'c', 'd']));
  });

  test(
    'a local program gets 503 while its result is neither on disk nor acknowledged, but the agent delivers it',
    { tags: 'slow' },
    async () => {
      let isUp = false;
      const backend = await AgentBackend.open({ refuseWith: () => (isUp ? undefined : 503) });
      const scene = await aScene(Disk, backend);
      const agent = await startAgentOnDisk(scene);
      scene.disk.fail({ calls: ['write', 'sync'], error: 'EIO' });
      const answer = await scene.report('a');
      expect(answer.status).toBe(503);
      expect(answer.text).toMatch(/kept in memory only, and no backend has confirmed it: cannot use the spool/);
      expect(agent.records.map(({ message }) => message)).toContain(
        'cannot write results to disk: keeping the results in memory',
      );
      isUp = true;
      await vi.waitFor(() => expect(outputsAt(backend)).toEqual(['a']), PATIENCE);
    },
  );
});
