/*
 * Verdicts of Sensu Go 6.2.4 for common filters, applied to forty results of one check. A verdict is `y` if the handler
 * runs and `.` if it does not.
 */

/** The source from which the verdicts of a filter were determined. */
export type Source =
  /** The rule in the documentation and the source code of Sensu Go, applied to the event after each result. */
  | 'rules'
  /**
   * The source `rules`, and in addition a recording of Sensu Go that contains the same expression. Its verdicts agree
   * with the rule.
   */
  | 'rules and recording';

export interface FilterVerdicts {
  readonly name: string;
  readonly action?: 'deny';
  /** The expressions of the filter; missing for built-in filters. */
  readonly expressions?: readonly string[];
  readonly source: Source;
  /** The verdicts of Sensu Go, one character for each result. */
  readonly verdicts: string;
  /** The verdicts of `mon`, and the reason for the difference; missing if there is none. */
  readonly ownVerdicts?: { readonly verdicts: string; readonly because: string };
}

/** The statuses of the forty results. The results are twenty minutes apart and begin on a Monday at 05:00 UTC. */
export const STATUSES = '0022221100002200'.concat('20202020202020', '0000000000');

/** The indexes of the results during which the check is silenced; `to` is excluded. */
export const SILENCED: readonly [from: number, to: number] = [12, 16];

export const BEGIN_SECONDS = Date.UTC(2026, 10, 23, 5) / 1000;
export const INTERVAL_SECONDS = 1200;
export const CHECK = {
  metadata: { name: 'disk', namespace: 'default', labels: { team: 'ops' } },
  interval: INTERVAL_SECONDS,
  low_flap_threshold: 10,
  high_flap_threshold: 30,
  subscriptions: ['linux'],
};

export const FILTERS: readonly FilterVerdicts[] = [
  {
    name: 'is_incident',
    source: 'rules',
    verdicts: '..yyyyyyy...yyy.yyyyyyyyyyyyyy..........',
  },
  {
    name: 'not_silenced',
    source: 'rules',
    verdicts: 'yyyyyyyyyyyy....yyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'has_metrics',
    source: 'rules',
    verdicts: '........................................',
  },
  {
    name: 'state-change',
    expressions: [
      'event.check.history.length > 1 && event.check.history[event.check.history.length-1].status != event.check.history[event.check.history.length-2].status',
    ],
    source: 'rules',
    verdicts: '..y...y.y...y.y.yyyyyyyyyyyyyy..........',
  },
  {
    name: 'state-change-only',
    expressions: ['event.check.occurrences == 1'],
    source: 'rules and recording',
    verdicts: 'yyy...y.y...y.y.yyyyyyyyyyyyyy..........',
  },
  {
    name: 'came-from-ok',
    expressions: [
      'event.check.history.length > 1 && event.check.history[event.check.history.length-2].status == 0 && event.check.status != 0',
    ],
    source: 'rules',
    verdicts: '..y.........y...y.y.y.y.y.y.y...........',
  },
  {
    name: 'every-hour',
    expressions: ['event.check.occurrences == 1 || event.check.occurrences % (3600 / event.check.interval) == 0'],
    source: 'rules and recording',
    verdicts: 'yyy.y.y.y.y.y.y.yyyyyyyyyyyyyy.y..y..y..',
  },
  {
    name: 'every-hour-only',
    expressions: ['event.check.occurrences % (3600 / event.check.interval) == 0'],
    source: 'rules',
    verdicts: '....y.....y....................y..y..y..',
  },
  {
    name: 'every-day',
    expressions: ['event.check.occurrences == 1 || event.check.occurrences % (86400 / event.check.interval) == 0'],
    source: 'rules',
    verdicts: 'yyy...y.y...y.y.yyyyyyyyyyyyyy..........',
  },
  {
    name: 'first-three',
    expressions: ['event.check.occurrences <= 3'],
    source: 'rules',
    verdicts: 'yyyyy.yyyyy.yyyyyyyyyyyyyyyyyyyy........',
  },
  {
    name: 'third-occurrence',
    expressions: ['event.check.occurrences == 3'],
    source: 'rules',
    verdicts: '....y.....y....................y........',
  },
  {
    name: 'after-two-and-resolution',
    expressions: ['event.check.occurrences >= 2 || (event.is_resolution && event.check.occurrences_watermark >= 2)'],
    source: 'rules',
    verdicts: '...yyy.yyyyy.yyy..............yyyyyyyyyy',
  },
  {
    name: 'fatigue',
    expressions: [
      '(event.is_incident && event.check.occurrences == 2) || (event.is_resolution && event.check.occurrences_watermark >= 2)',
    ],
    source: 'rules',
    verdicts: '...y...yy....yy.........................',
  },
  {
    name: 'watermark',
    expressions: ['event.check.occurrences_watermark >= 3'],
    source: 'rules',
    verdicts: '....yyyyyyyy...................yyyyyyyyy',
  },
  {
    name: 'only-critical',
    expressions: ['event.check.status == 2'],
    source: 'rules and recording',
    verdicts: '..yyyy......yy..y.y.y.y.y.y.y...........',
  },
  {
    name: 'only-ok',
    expressions: ['event.check.status == 0'],
    source: 'rules',
    verdicts: 'yy......yyyy..yy.y.y.y.y.y.y.yyyyyyyyyyy',
  },
  {
    name: 'failing',
    expressions: ["event.check.state == 'failing'"],
    source: 'rules and recording',
    verdicts: '..yyyyyy....yy..y.y.y...................',
  },
  {
    name: 'not-passing',
    expressions: ["event.check.state != 'passing'"],
    source: 'rules and recording',
    verdicts: '..yyyyyy....yy..y.y.yyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'resolution',
    expressions: ['event.is_resolution'],
    source: 'rules and recording',
    verdicts: '........y.....y..y.y.y.y.y.y.y..........',
  },
  {
    name: 'office-hours',
    expressions: [
      'weekday(event.timestamp) >= 1 && weekday(event.timestamp) <= 5',
      'hour(event.timestamp) >= 9 && hour(event.timestamp) < 17',
    ],
    source: 'rules',
    verdicts: '............yyyyyyyyyyyyyyyyyyyyyyyy....',
  },
  {
    name: 'outside-office-hours',
    action: 'deny',
    expressions: ['hour(event.timestamp) >= 9 && hour(event.timestamp) < 17'],
    source: 'rules',
    verdicts: 'yyyyyyyyyyyy........................yyyy',
  },
  {
    name: 'team-label',
    expressions: ["event.check.labels.team == 'ops'"],
    source: 'rules and recording',
    verdicts: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'missing-label',
    expressions: ["event.entity.labels.region == 'eu'"],
    source: 'rules and recording',
    verdicts: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'region-denied',
    action: 'deny',
    expressions: ["event.entity.labels.region == 'eu'"],
    source: 'rules',
    verdicts: '........................................',
    ownVerdicts: {
      verdicts: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
      because:
        'an expression that has no answer keeps nothing back, also in a filter that denies: an alert too many is better',
    },
  },
  {
    name: 'silenced-by-entity',
    expressions: ["event.check.silenced.indexOf('entity:web-1:*') >= 0"],
    source: 'rules and recording',
    verdicts: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'unsilenced-expression',
    expressions: ['event.check.is_silenced == false'],
    source: 'rules and recording',
    verdicts: 'yyyyyyyyyyyy....yyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'metrics',
    expressions: ["typeof event.metrics !== 'undefined'"],
    source: 'rules and recording',
    verdicts: '........................................',
  },
  {
    name: 'metric-handlers',
    expressions: ["event.check.output_metric_handlers.indexOf('tsdb') >= 0"],
    source: 'rules',
    verdicts: '........................................',
  },
  {
    name: 'without-metric-handlers',
    expressions: ['event.check.output_metric_handlers.length == 0 && event.check.env_vars.length == 0'],
    source: 'rules',
    verdicts: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'first-result',
    expressions: ['event.check.history.length == 0'],
    source: 'rules',
    verdicts: 'y.......................................',
  },
  {
    name: 'total-state-change',
    expressions: ['event.check.total_state_change > 20'],
    source: 'rules',
    verdicts: '.....................yyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'flapping',
    expressions: ["event.check.state == 'flapping'"],
    source: 'rules',
    verdicts: '.....................yyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'subscription',
    expressions: ["event.check.subscriptions.indexOf('linux') >= 0"],
    source: 'rules',
    verdicts: 'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
  },
  {
    name: 'deny-repeated',
    action: 'deny',
    expressions: ['event.check.occurrences > 1'],
    source: 'rules',
    verdicts: 'yyy...y.y...y.y.yyyyyyyyyyyyyy..........',
  },
  {
    name: 'deny-two',
    action: 'deny',
    expressions: ['event.check.status == 2', 'event.check.occurrences == 1'],
    source: 'rules and recording',
    verdicts: 'yy.yyyyyyyyy.yyy.y.y.y.y.y.y.yyyyyyyyyyy',
  },
];
