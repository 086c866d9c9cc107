/** @module-tag slow */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { builtPrograms } from '../support/built-programs.ts';
import { AgentFleet } from '../support/agent-fleet.ts';
import { Pty } from '../support/pty.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const BUILT = builtPrograms();

/** Returns the definitions of checks that fail on a client as long as a file named after the client exists. */
function checksOf(dir: string): Readonly<Record<string, unknown>> {
  return {
    http: {
      command: `test ! -e ${dir}/down-:::name::: || { echo connect timeout after 10 s; exit 2; }`,
      subscribers: ['web'],
      interval: 1,
    },
    disk: {
      command: `test ! -e ${dir}/full-:::name::: || { echo / 91% used; exit 1; }`,
      subscribers: ['db'],
      interval: 1,
    },
  };
}

test('an operator works in the console through a storm, a silence, an undo, an expiry and a restart', async () => {
  await using fleet = await AgentFleet.open(checksOf);
  await Promise.all([
    fleet.agent('web-1', { subscriptions: ['web'] }),
    fleet.agent('web-2', { subscriptions: ['web'] }),
    fleet.agent('db-1', { subscriptions: ['db'] }),
  ]);
  const trouble = (file: string): Promise<void> => writeFile(join(fleet.dir, file), '');
  const mended = (file: string): Promise<void> => rm(join(fleet.dir, file));
  const open = async (): Promise<string[]> =>
    (await fleet.api.events())
      .map(({ client, check, silenced }) => `${client.name}/${check.name}${silenced ? ' silenced' : ''}`)
      .toSorted();
  const silences = async (): Promise<string[]> => (await fleet.api.silenced()).map(({ id }) => id).toSorted();

  await using pty = new Pty(process.execPath, [join(BUILT, 'mon.js'), '--backend', fleet.url], {
    cwd: ROOT,
    env: { USER: 'alice' },
  });
  await pty.waitForText('everything that reports is OK');

  // Three problems arrive at once.
  await Promise.all([trouble('down-web-1'), trouble('down-web-2'), trouble('full-db-1')]);
  await pty.waitForText('3 of 3 events shown');
  await pty.waitForText(/✗ CRIT {2}web-1 .*connect timeout after 10 s/);
  await pty.waitForText(/! WARN {2}db-1 .*91% used/);

  // The operator silences two events; the dialog and the backend show the same number of events.
  pty.write('/http\r');
  await pty.waitForText('2 of 3 events shown');
  pty.write('a');
  await pty.waitForText('2 marked');
  pty.write('s');
  await pty.waitForText('matches now: 2 events');
  pty.write('the load balancer, CHG-1\u0013');
  await pty.waitForText('2 silences created');
  await pty.waitForText(/S CRIT {2}web-2 .*59m left {2}connect timeout/);
  expect(await silences()).toEqual(['client:web-1:http', 'client:web-2:http']);
  expect(await open()).toEqual(['db-1/disk', 'web-1/http silenced', 'web-2/http silenced']);

  // One of the two checks recovers, and its silence ends with it.
  await mended('down-web-1');
  await pty.waitForText('1 of 2 events shown');
  await expect.poll(silences).toEqual(['client:web-2:http']);

  // The operator undoes the silence of the other event.
  pty.write('z');
  await pty.waitForText('ends the silence web-2 / http');
  pty.write('y');
  await pty.waitForText(/✗ CRIT {2}web-2/);
  expect(await silences()).toEqual([]);

  // A silence expires.
  pty.write('\u001B');
  await pty.waitForText('2 of 2 events shown');
  pty.write('/disk\r');
  await pty.waitForText('1 of 2 events shown');
  pty.write(':silence 3s the logs are rotated\r');
  await pty.waitForText('(in 3s) or when the check resolves');
  pty.write('\u0013');
  await pty.waitForText(/S WARN {2}db-1 /);
  expect(await open()).toEqual(['db-1/disk silenced', 'web-2/http']);
  await pty.waitForText(/! WARN {2}db-1/);
  expect(await silences()).toEqual([]);

  // After a restart of the backend, the screen shows every event once. No change was possible during the downtime.
  await fleet.stopBackend();
  await pty.waitForText('DISCONNECTED');
  pty.write('r');
  await pty.waitForText('r is disabled');
  expect(pty.screen.text).toMatch(/WARN {2}db-1/);
  await fleet.startBackend();
  pty.write('R');
  await pty.waitForText('LIVE');
  pty.write('\u001B');
  await pty.waitForText('2 of 2 events shown');
  expect(pty.screen.lines.filter((line) => line.includes('web-2 '))).toHaveLength(1);
  expect(await open()).toEqual(['db-1/disk', 'web-2/http']);

  // The remaining checks recover.
  await Promise.all([mended('down-web-2'), mended('full-db-1')]);
  await pty.waitForText('everything that reports is OK');
  expect(await open()).toEqual([]);
  pty.write('q');
  expect(await pty.exited).toEqual({ exitCode: 0, signal: 0 });
});
