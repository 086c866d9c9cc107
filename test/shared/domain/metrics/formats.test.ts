import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventPoints, metricsText } from '../../../../shared/domain/metrics/event-points.ts';
import { POINTS_MAX } from '../../../../shared/domain/metrics/point.ts';
import { anEvent } from '../../../support/a-job.ts';

const NOW = 1_767_225_600;

function anOutput(format: string | undefined, output: string, more: object = {}) {
  const check = {
    output,
    executed: NOW,
    type: 'metric',
    ...(format !== undefined && { output_metric_format: format }),
  };
  return anEvent({ client: { name: 'web-1' }, check: { name: 'load', ...check, ...more } });
}

const pointsOf = (format: string | undefined, output: string, more: object = {}) =>
  eventPoints(anOutput(format, output, more));

describe('the metric points of a check output', () => {
  test.each([
    ['graphite_plaintext', 'web-1.load.one 0.5 1700000000', 'web-1.load.one', 0.5, {}, 1_700_000_000],
    ['graphite_plaintext', 'load;cpu=0;dc=a 1e3', 'load', 1000, { cpu: '0', dc: 'a' }, NOW],
    ['graphite_plaintext', 'load -1 -1', 'load', -1, {}, NOW],
    [
      'influxdb_line',
      'cpu,host=a\\ b,dc=x idle=99.5 1700000000000000000',
      'cpu.idle',
      99.5,
      { host: 'a b', dc: 'x' },
      1_700_000_000,
    ],
    ['influxdb_line', 'mem used=12i,note="a, b=c"', 'mem.used', 12, {}, NOW],
    ['influxdb_line', 'up ok=true', 'up.ok', 1, {}, NOW],
    [
      'opentsdb_line',
      'sys.load 1700000000 0.25 host=a cpu=0',
      'sys.load',
      0.25,
      { host: 'a', cpu: '0' },
      1_700_000_000,
    ],
    ['opentsdb_line', 'put sys.load 1700000000500 1', 'sys.load', 1, {}, 1_700_000_000.5],
    ['nagios_perfdata', 'OK | /=2643MB;5948;5958;0;5968', '/', 2643, {}, NOW],
    ['nagios_perfdata', "OK\nmore | 'a ''b'' c'=1.5s", "a 'b' c", 1.5, {}, NOW],
    [
      'prometheus_text',
      'http_total{code="200",path="/a\\"}\\n"} 3 1700000000500',
      'http_total',
      3,
      { code: '200', path: '/a"}\n' },
      1_700_000_000.5,
    ],
    ['prometheus_text', '# HELP up x\nup 1', 'up', 1, {}, NOW],
    [undefined, 'load 1', 'load', 1, {}, NOW],
  ])('a metric line in the format %s is parsed: %j', (format, output, name, value, tags, timestamp) => {
    expect(pointsOf(format, output)).toEqual({ points: [{ name, value, tags, timestamp }], unreadable: 0 });
  });

  test.each([
    ['graphite_plaintext', 'load', 'load one', 'load 1 now', 'load 1 2 3', 'load;tag 1', ';a=b 1', 'load 1e999'],
    ['influxdb_line', 'cpu', 'cpu,host idle=1', 'cpu idle=x', 'cpu idle=1 now', 'cpu idle=1 2 3', ' idle=1'],
    ['opentsdb_line', 'load', 'load now 1', 'load 1 one', 'load 1 1 tag'],
    ['prometheus_text', '9up 1', 'up', 'up{a="b} 1', 'up{a=b} 1', 'up one', 'up 1 2 3'],
  ])('invalid lines of an output in the format %s are skipped and counted', (format, ...lines) => {
    for (const line of lines) expect([line, pointsOf(format, line)]).toEqual([line, { points: [], unreadable: 1 }]);
  });

  test('a metric line with several values yields a point for each valid value', () => {
    expect(
      pointsOf('nagios_perfdata', "OK | a=1 b=U 'c d'=2%;;;0;100\nlong | e=3").points.map(({ name }) => name),
    ).toEqual(['a', 'c d', 'e']);
    expect(pointsOf('prometheus_text', 'a NaN\nb +Inf\nc 1')).toMatchObject({ points: [{ name: 'c' }], unreadable: 0 });
    expect(pointsOf('influxdb_line', '# comment\ncpu a=1,b=2').points).toHaveLength(2);
  });

  test('a check output yields at most the maximum number of metric points', () => {
    const { points, unreadable } = pointsOf('graphite_plaintext', 'a 1\n'.repeat(POINTS_MAX + 5));
    expect([points.length, unreadable]).toEqual([POINTS_MAX, 5]);
  });

  test.each(['graphite_plaintext', 'influxdb_line', 'opentsdb_line', 'nagios_perfdata', 'prometheus_text'])(
    'an output is parsed as %s in time that grows linearly with its length',
    (format) => {
      for (const part of ["'", 'a', 'a=', "'a", '\\', '"', '{', ' ', 'a{b="', ',', ';']) {
        const output = `| ${part.repeat(200_000 / part.length)}`;
        expect(pointsOf(format, output).points.length).toBeLessThanOrEqual(POINTS_MAX);
      }
    },
  );

  test('the output of a check without a metric format is not parsed for metrics', () => {
    expect(pointsOf('', 'load 1', { type: 'standard' })).toEqual({ points: [], unreadable: 0 });
    expect(pointsOf('whatever', 'load 1')).toEqual({ points: [], unreadable: 0 });
  });

  test('metric points that an agent has parsed are used with the tags of the check', () => {
    const points = [
      { name: 'a', value: 1, timestamp: 1_700_000_000_000_000_000, tags: [{ name: 'x', value: 'y' }] },
      { name: 'b', value: 2, timestamp: 0, tags: null },
      { name: '', value: 2 },
    ];
    const tags = [{ name: 'env', value: 'prod' }, { name: 'x', value: 'z' }, 7];
    expect(pointsOf('graphite_plaintext', 'ignored 1', { metrics: { points }, output_metric_tags: tags })).toEqual({
      points: [
        { name: 'a', value: 1, timestamp: 1_700_000_000, tags: { env: 'prod', x: 'y' } },
        { name: 'b', value: 2, timestamp: NOW, tags: { env: 'prod', x: 'z' } },
      ],
      unreadable: 1,
    });
  });

  test.each(['graphite_plaintext', 'influxdb_line', 'opentsdb_line', 'nagios_perfdata', 'prometheus_text'])(
    'any output that is parsed as %s yields finite points, and each is written as one line',
    (format) => {
      const text = fc.string({
        unit: fc.constantFrom('a', '1', '.', ' ', '=', ',', ';', '|', '"', "'", '\\', '{', '}', '\n', 'é'),
      });
      fc.assert(
        fc.property(text, (output) => {
          const { points } = pointsOf(format, output);
          for (const { value } of points) expect(Number.isFinite(value)).toBe(true);
          for (const writer of ['graphite_plaintext', 'influxdb_line', 'opentsdb_line', 'prometheus_text']) {
            const written = metricsText(anOutput(format, output), writer) ?? '';
            expect(written.split('\n').length - 1).toBe(points.length);
          }
        }),
      );
    },
  );
});

describe('the output formats of metrics', () => {
  const output = 'cpu\\ x,dc=a\\,b idle=1.5 1700000000000000000';

  test.each([
    ['graphite_plaintext', 'cpu_x.idle;client=web-1;check=load;dc=a,b 1.5 1700000000\n'],
    ['influxdb_line', 'cpu\\ x.idle,check=load,client=web-1,dc=a\\,b value=1.5 1700000000000000000\n'],
    ['opentsdb_line', 'put cpu_x.idle 1700000000 1.5 client=web-1 check=load dc=a_b\n'],
    ['prometheus_text', 'cpu_x_idle{check="load",client="web-1",dc="a,b"} 1.5\n'],
  ])('metrics are written as %s with client and check', (format, text) => {
    expect(metricsText(anOutput('influxdb_line', output), format)).toBe(text);
  });

  test('metric points that came in Graphite format are written in Graphite format unchanged', () => {
    expect(metricsText(anOutput(undefined, 'web-1.load 1 5'), 'graphite_plaintext')).toBe('web-1.load 1 5\n');
  });

  test('metrics are not written in a format that is only an input format', () => {
    expect(metricsText(anOutput(undefined, 'load 1'), 'nagios_perfdata')).toBeUndefined();
  });
});
