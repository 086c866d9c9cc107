import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openApiClient } from '../../../shared/client/api-client.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { NOW, runMonctl, type MonctlRun } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';

const MINUTE = 60_000;

let backend: RunningBackend;

/** Records an hour: a disk is full for a while, half of it under a silence, and a load is still high at the end. */
beforeEach(async () => {
  const clock = new ManualClock((NOW - 3600) * 1000);
  backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  const api = openApiClient({ backend: backend.url, env: {} });
  const report = (name: string, status: number, output: string): Promise<unknown> =>
    api.submitResult({ source: 'web-1', name, status, output });
  await report('disk', 2, 'full');
  clock.advance(10 * MINUTE);
  await api.silence({ check: 'disk', reason: 'CHG-1', creator: 'ada', expire: 1200 });
  clock.advance(10 * MINUTE);
  await report('disk', 0, 'fine');
  await report('load', 1, 'high | 9');
  clock.advance(40 * MINUTE);
});

const monctl = (...line: string[]): Promise<MonctlRun> => runMonctl(line, { MON_BACKEND: backend.url });

describe('monctl report', () => {
  test('monctl report prints Markdown', async () => {
    expect((await monctl('report', '--since', '1h')).stdout).toMatchInlineSnapshot(`
      "# Handover

      2026-11-20 11:00Z to 2026-11-20 12:00Z (1h)

      2 checks on 1 client failed: 2 outages, 1h in all; 1 still open.

      ## Still open (1)

      | Status | Client | Check | Since | For | Silenced by | Output |
      | --- | --- | --- | --- | --- | --- | --- |
      | WARN | web-1 | load | 2026-11-20 11:20Z | 40m |  | high \\| 9 |

      ## Resolved (1)

      | Worst | Client | Check | From | To | Outages | Failing | Silenced | Output |
      | --- | --- | --- | --- | --- | --- | --- | --- | --- |
      | CRIT | web-1 | disk | 2026-11-20 11:00Z | 2026-11-20 11:20Z | 1 | 20m | 10m | full |

      ## Noisiest (2)

      | Check | Outages | Clients | Most on |
      | --- | --- | --- | --- |
      | disk | 1 | 1 | web-1 |
      | load | 1 | 1 | web-1 |

      ## Operator actions (1)

      | Time | User | Action | Until | Reason |
      | --- | --- | --- | --- | --- |
      | 2026-11-20 11:10Z | ada | silenced check:disk | 2026-11-20 11:30Z | CHG-1 |

      ## Other changes

      None.
      "
    `);
    expect((await monctl('report', '--since', '1h', '--output', 'markdown')).stdout).toContain('# Handover');
  });

  test('monctl report prints the report of a past span as JSON', async () => {
    const { stdout } = await monctl('report', '--since', '1h', '--until', '50m', '-o', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      total: { checks: 1, down: 600 },
      open: { count: 1 },
      resolved: { count: 0 },
    });
  });

  test.each([
    [['report', '--since', '1h', '--until', '2h'], '--since must be before --until'],
    [['report', '--output', 'table'], '--output must be markdown, json, yaml'],
    [['event', 'list', '--output', 'markdown'], '--output must be table, json, yaml'],
  ])('the command monctl %j is rejected because of its time span or output format', async (line, message) => {
    expect((await monctl(...line)).stderr).toContain(message);
  });

  test('the manual of monctl report lists only the output formats of this command', async () => {
    const { stdout } = await monctl('report', '--help');
    expect(stdout).toContain('-o, --output markdown|json|yaml');
    expect(stdout).not.toContain('table|json');
  });
});
