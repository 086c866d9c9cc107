import { expect, test, vi } from 'vitest';
import { MetricSeries } from '../../../../../daemon/backend/notify/delivery/metric-series.ts';
import { anEvent } from '../../../../support/a-job.ts';
import { HttpReceiver } from '../../../../support/http-receiver.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { startBackend } from '../../../../support/running-backend.ts';
import { receiver } from '../../../../support/tcp-receiver.ts';

function aLoad(output: string) {
  return anEvent({ check: { name: 'load', type: 'metric', output } });
}

/** Returns the lines `m<number> 1`, with the numbers from `from` to before `to`. */
function lines(from: number, to: number): string {
  return Array.from({ length: to - from }, (_, at) => `m${String(from + at)} 1`).join('\n');
}

test('metrics of a check go to Graphite, InfluxDB and Prometheus, whatever the status of the check is', async () => {
  const graphite = await receiver();
  const influx = await HttpReceiver.open();
  await using backend = await startBackend({
    settings: {
      checks: {
        load: {
          command: 'x',
          subscribers: ['linux'],
          interval: 60,
          handlers: [],
          output_metric_format: 'nagios_perfdata',
          output_metric_handlers: ['graphite', 'influx', 'prometheus'],
        },
      },
      handlers: {
        graphite: { type: 'tcp', socket: { host: '127.0.0.1', port: graphite.port }, mutator: 'graphite_plaintext' },
        influx: {
          type: 'webhook',
          url: influx.url,
          headers: { Authorization: 'Token t', 'Content-Type': 'text/plain; charset=utf-8' },
          mutator: 'influxdb_line',
        },
      },
    },
  });
  const report = (status: number, output: string): Promise<Response> =>
    fetch(`${backend.url}/results`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ source: 'web-1', name: 'load', output, status, executed: 1_700_000_000 }),
    });
  await report(0, 'OK | load1=0.5;5;10');
  await report(2, 'no figures');
  await vi.waitFor(() => {
    expect(graphite.received).toEqual(['load1;client=web-1;check=load 0.5 1700000000\n']);
    expect(influx.received.map(({ body }) => body)).toEqual([
      'load1,check=load,client=web-1 value=0.5 1700000000000000000\n',
    ]);
  });
  expect(influx.received[0]?.headers).toMatchObject({
    authorization: 'Token t',
    'content-type': 'text/plain; charset=utf-8',
  });
  await vi.waitFor(async () => {
    const answer = await fetch(`${backend.url}/metrics/checks`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await answer.text()).toBe('load1{check="load",client="web-1"} 0.5\n');
  });
  const [event] = (await (await fetch(`${backend.url}/events`)).json()) as readonly { check: object }[];
  expect(event?.check).toMatchObject({ status: 2, type: 'metric', handlers: ['graphite', 'influx', 'prometheus'] });
});

test('series exported to Prometheus are limited and end a quarter of an hour after the last result', () => {
  const clock = new ManualClock();
  const series = new MetricSeries(clock);
  expect(series.storeMetrics('default', aLoad(lines(0, 10_000)))).toEqual({ kind: 'delivered' });
  expect(series.storeMetrics('default', aLoad('more 1'))).toMatchObject({ kind: 'failed', isRetryable: false });
  expect(series.storeMetrics('default', aLoad('m0 2'))).toEqual({ kind: 'delivered' });
  expect(series.prometheusText('other')).toBe('');
  clock.advance(14 * 60_000);
  series.storeMetrics('default', aLoad('m0 3'));
  clock.advance(60_000);
  expect(series.prometheusText('default')).toBe('m0{check="load",client="web-1"} 3\n');
  expect(series.storeMetrics('other', aLoad('more 1'))).toEqual({ kind: 'delivered' });
  expect(series.prometheusText('other')).toBe('more{check="load",client="web-1"} 1\n');
});
