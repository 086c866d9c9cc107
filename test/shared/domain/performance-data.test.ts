import { expect, test } from 'vitest';
import { eventRow } from '../../../shared/domain/event-row.ts';
import { messageOf } from '../../../shared/domain/message/message.ts';
import { withoutPerformanceData } from '../../../shared/domain/performance-data.ts';
import { anEvent } from '../../support/an-event.ts';

const TCP = 'TCP OK - 0.000 second response time on 127.0.0.1 port 22081|time=0.000153s;;;0.000000;2.000000';

test.each([
  [TCP, 'TCP OK - 0.000 second response time on 127.0.0.1 port 22081'],
  ['DISK OK | /=2643MB;5948;5958;0;5968', 'DISK OK'],
  ["CPU | 'user time'=12% 'system'=3%", 'CPU'],
  ['PING | rta=U;; pl=100%', 'PING'],
  [
    'DISK OK | /=2643MB;5948\n/ 15272 MB (77%);\n/boot 68 MB (69%); | /boot=68MB;88\n/home=69357MB;253404',
    'DISK OK\n/ 15272 MB (77%);\n/boot 68 MB (69%);',
  ],
])('performance data are removed from %j', (output, text) => {
  expect(withoutPerformanceData(output)).toBe(text);
});

test.each(['no bar', 'a | b', 'table | of | words', 'exit 1: cat log | grep x', 'x = 1', ''])(
  'the output %j contains no performance data and stays unchanged',
  (output) => {
    expect(withoutPerformanceData(output)).toBe(output);
  },
);

test.each(['|', ' ', '| ', "|'a", '|a', ' |a=x'])(
  'performance data are removed from a long output of %j in linear time',
  (part) => {
    const output = `${part.repeat(250_000 / part.length)}|`;
    const startedMs = performance.now();
    withoutPerformanceData(output);
    expect(performance.now() - startedMs).toBeLessThan(1000);
  },
);

test('lists and messages leave out performance data, but the event keeps them', () => {
  const event = anEvent({ check: { output: TCP } });
  expect(eventRow(event).output).not.toContain('|');
  const message = messageOf({ namespace: 'default', nowMs: 0, event });
  expect([message.title.includes('|'), message.output]).toEqual([false, withoutPerformanceData(TCP)]);
  expect(event.check.output).toBe(TCP);
});

test('a list row ends before performance data that do not fit into the summary', () => {
  const output = `${'a'.repeat(190)}|${'b'.repeat(40)}=1;;;`;
  expect(eventRow(anEvent({ check: { output } })).output).toBe('a'.repeat(190));
});
