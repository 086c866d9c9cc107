import { passFinding, warnFinding, type UpgradeRule } from '../rule.ts';
import { crossesVersion } from '../version.ts';

const RULE_ID = '6.1.0-event-migration';
/**
 * Number of events that a database migrates per second, as a cautious assumption. Reference 9.3 only says that the
 * pause takes seconds to minutes.
 */
const ROWS_PER_SECOND = 5000;

/** Upgrade rule for 6.1.0 (reference 9.3): after 6.0, the first start migrates the event table of the database. */
export const eventMigration: UpgradeRule = {
  id: RULE_ID,
  title: 'Events in the relational database are migrated: API, command line and web UI pause',
  applies: (path, { event_store: store }) =>
    path.from[0] === 6 && path.from[1] === 0 && crossesVersion(path, [6, 1, 0]) && store !== 'key-value',
  evaluate({ event_store: store, event_rows: rows }) {
    if (store === undefined) {
      return warnFinding(
        ['it is unknown whether events are in a relational database'],
        ['if they are, expect a pause of seconds to minutes at the first start'],
      );
    }
    if (rows === undefined) {
      return warnFinding(['the number of events is unknown'], ['expect a pause of seconds to minutes']);
    }
    if (rows === 0) return passFinding('there are no events in the relational database');
    return warnFinding(
      [`${String(rows)} events: about ${String(Math.ceil(rows / ROWS_PER_SECOND))} s`],
      ['upgrade at a quiet hour, and do not restart the backend while it migrates'],
    );
  },
  steps: () => [],
};
