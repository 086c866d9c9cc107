import { expect, test } from 'vitest';
import { reportMarkdown } from '../../../../shared/domain/report/markdown.ts';
import { dateTimeText } from '../../../../shared/domain/time-text.ts';
import type { Report } from '../../../../shared/schemas/report.ts';

const HOUR = 3_600_000;
const UNTIL = Date.UTC(2026, 10, 20, 12);

const inUtc = (ms: number): string => dateTimeText(ms, 'UTC', 'minutes');

const NOTHING: Report = {
  since: UNTIL - 12 * HOUR,
  until: UNTIL,
  complete_since: UNTIL - 12 * HOUR,
  truncated: false,
  total: { checks: 0, clients: 0, outages: 0, down: 0 },
  open: { count: 0, checks: [] },
  resolved: { count: 0, checks: [] },
  inhibited: { checks: 0, count: 0, causes: [] },
  noisiest: [],
  actions: { count: 0, actions: [] },
  changes: null,
};

test('a report of a span without events says that there were none', () => {
  expect(reportMarkdown(NOTHING, inUtc)).toMatchInlineSnapshot(`
    "# Handover

    2026-11-20 00:00Z to 2026-11-20 12:00Z (12h)

    No problems.

    ## Still open

    None.

    ## Resolved

    Nothing.

    ## Noisiest

    None.

    ## Operator actions

    None."
  `);
});

test('a report shows the open problems of a check on many clients as one row with their number', () => {
  const row = { worst: 2, outages: 1, silenced: 0, down: 60, output: 'HTTP 502', ended: null, began: UNTIL - HOUR };
  const silences = [{ id: 'client:web-2:http', who: 'ada' }];
  const http = { ...row, check: 'http', status: 2, silences: [] };
  const report: Report = {
    ...NOTHING,
    total: { checks: 283, clients: 281, outages: 283, down: 7200 },
    open: {
      count: 283,
      checks: [
        { ...http, client: 'web-1' },
        { ...http, client: 'web-2', silences },
        { ...row, client: 'db-1', check: 'disk', status: 2, silences: [], output: '98 %' },
        { ...row, client: 'db-2', check: 'disk', status: 1, silences: [], output: '91 %' },
      ],
    },
    open_by_check: [
      { check: 'http', count: 280, client: 'web-1', status: 2, began: UNTIL - 2 * HOUR, output: 'HTTP 502' },
      { check: 'disk', count: 2, client: 'db-1', status: 2, began: UNTIL - HOUR, output: '98 %' },
    ],
  };
  const [, open] = reportMarkdown(report, inUtc).split(/^## /m);
  expect(open).toMatchInlineSnapshot(`
    "Still open (283)

    | Status | Client | Check | Since | For | Silenced by | Output |
    | --- | --- | --- | --- | --- | --- | --- |
    | CRIT | web-1 +279 | http | 2026-11-20 10:00Z | 2h | 1 of the first 2 | HTTP 502 |
    | CRIT | db-1 | disk | 2026-11-20 11:00Z | 1h |  | 98 % |
    | WARN | db-2 | disk | 2026-11-20 11:00Z | 1h |  | 91 % |

    And 1 more.

    "
  `);
});

test('a report lists open and resolved problems, noisy checks and actions', () => {
  const row = { client: 'web-1', check: 'disk', worst: 2, outages: 1, silenced: 0, output: 'full', silences: [] };
  const report: Report = {
    ...NOTHING,
    total: { checks: 3, clients: 2, outages: 4, down: 7200 },
    open: {
      count: 2,
      checks: [
        {
          ...row,
          status: 2,
          began: UNTIL - HOUR,
          ended: null,
          down: 3600,
          silences: [{ id: 'client:web-1:disk', acknowledged: true, who: 'ada', reason: 'acknowledged' }],
        },
      ],
    },
    resolved: {
      count: 1,
      checks: [{ ...row, check: 'load', status: 0, began: null, ended: UNTIL - HOUR, down: 5400, silenced: 600 }],
    },
    noisiest: [{ check: 'disk', outages: 3, clients: 2, client: 'web-1', client_outages: 2 }],
    actions: {
      count: 1,
      actions: [
        {
          at: UNTIL - 2 * HOUR,
          who: 'ada',
          action: 'silenced',
          targets: ['*:disk'],
          count: 3,
          reason: 'CHG-1',
          end: UNTIL,
        },
      ],
    },
    changes: {
      count: 1,
      changes: [
        { id: 7, at: UNTIL - HOUR, who: 'bob', action: 'definition.change', target: 'checks/disk', reason: null },
      ],
    },
  };
  expect(reportMarkdown(report, inUtc)).toMatchInlineSnapshot(`
    "# Handover

    2026-11-20 00:00Z to 2026-11-20 12:00Z (12h)

    3 checks on 2 clients failed: 4 outages, 2h in all; 2 still open.

    ## Still open (2)

    | Status | Client | Check | Since | For | Silenced by | Output |
    | --- | --- | --- | --- | --- | --- | --- |
    | CRIT | web-1 | disk | 2026-11-20 11:00Z | 1h | acknowledged by ada: acknowledged | full |

    And 1 more.

    ## Resolved (1)

    | Worst | Client | Check | From | To | Outages | Failing | Silenced | Output |
    | --- | --- | --- | --- | --- | --- | --- | --- | --- |
    | CRIT | web-1 | load | before | 2026-11-20 11:00Z | 1 | 1h30m | 10m | full |

    ## Noisiest (1)

    | Check | Outages | Clients | Most on |
    | --- | --- | --- | --- |
    | disk | 3 | 2 | web-1 (2) |

    ## Operator actions (1)

    | Time | User | Action | Until | Reason |
    | --- | --- | --- | --- | --- |
    | 2026-11-20 10:00Z | ada | silenced \\*:disk and 2 more | 2026-11-20 12:00Z | CHG-1 |

    ## Other changes (1)

    | Time | User | Action | Reason |
    | --- | --- | --- | --- |
    | 2026-11-20 11:00Z | bob | definition.change checks/disk |  |"
  `);
});

test('the report lists inhibited checks under their root cause', () => {
  const row = { client: 'web-1', check: 'ping', worst: 2, outages: 1, silenced: 0, output: 'no answer', silences: [] };
  const cause = { rule: 'behind-switch', client: 'sw-1', check: 'uplink' };
  const text = reportMarkdown(
    {
      ...NOTHING,
      total: { checks: 301, clients: 301, outages: 301, down: 7200 },
      open: {
        count: 1,
        checks: [{ ...row, status: 2, began: UNTIL - HOUR, ended: null, down: 3600, inhibited_by: cause }],
      },
      resolved: {
        count: 300,
        checks: [{ ...row, status: 0, began: null, ended: UNTIL, down: 60, inhibited_by: cause }],
      },
      inhibited: { checks: 300, count: 1, causes: [{ ...cause, checks: 300, clients: 300, open: 1 }] },
    },
    inUtc,
  );
  expect(text.split('\n')).toEqual(
    expect.arrayContaining([
      '300 checks were inhibited by 1 root cause; no notification was sent for them.',
      '| CRIT | web-1 | ping | 2026-11-20 11:00Z | 1h |  | inhibited by sw-1/uplink  no answer |',
      '## Resolved',
      'Only inhibited events.',
      '## Root causes (1)',
      '| sw-1 | uplink | behind-switch | 300 | 300 | 1 |',
    ]),
  );
});

test('the report names a resolved check that was not inhibited', () => {
  const row = { check: 'ping', worst: 2, outages: 1, down: 60, silenced: 0, output: 'no answer', silences: [] };
  const over = { ...row, status: 0, began: UNTIL - HOUR, ended: UNTIL };
  const text = reportMarkdown(
    {
      ...NOTHING,
      resolved: {
        count: 300,
        checks: [
          { ...over, client: 'sw-1' },
          { ...over, client: 'web-1', inhibited_by: { rule: 'behind-switch', client: 'sw-1', check: 'ping' } },
        ],
      },
    },
    inUtc,
  );
  expect(text).toContain('## Resolved (300)');
  expect(text).toContain('| CRIT | sw-1 | ping |');
  expect(text).not.toContain('web-1');
  expect(text).toContain('And 299 more.');
});

test.each([
  [{ complete_since: null }, 'No history is stored: timeline.days of the backend is 0.'],
  [{ complete_since: UNTIL - HOUR }, 'The report starts at 2026-11-20 11:00Z: there is no older history.'],
  [
    { complete_since: UNTIL - HOUR, truncated: true },
    'The report starts at 2026-11-20 11:00Z: there are more entries than one report can contain; choose a shorter period.',
  ],
])('the report says that its history is incomplete: %j', (more, expected) => {
  expect(reportMarkdown({ ...NOTHING, ...more }, inUtc)).toContain(expected);
});

test('names, reasons and outputs in the report have no effect as Markdown or on a terminal', () => {
  const reason = '\u001b[31m<b>|[x](http://a) `rm` a_b _c_\nnext';
  const actions = [{ at: UNTIL, who: 'eve', action: 'ended', targets: ['*:a_b'], count: 1, reason }] as const;
  const text = reportMarkdown({ ...NOTHING, actions: { count: 1, actions } }, inUtc);
  expect(text.split('\n').find((line) => line.includes('eve'))).toBe(
    '| 2026-11-20 12:00Z | eve | ended \\*:a_b |  | \\<b\\>\\|\\[x\\](http://a) \\`rm\\` a_b \\_c\\_ next |',
  );
});
