import type { EntityUsage } from '../schemas/entity-usage.ts';
import { MonError } from '../errors.ts';
import type {
  ClientRow,
  EventRow,
  FeedMessage,
  FeedRows,
  FeedStats,
  SilencedRow,
  UpgradeRow,
} from '../schemas/feed.ts';
import type { PlanRunState, PlanRunStepState } from '../schemas/plan-run.ts';
import type { RuleVerdict } from '../schemas/plan.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads a frame of the backend. Every row is looked at, because one that is not what it says would crash whoever shows
 * it; by hand, because a snapshot of 100,000 rows must not hold up the screen.
 *
 * @returns `undefined` for a kind of frame that this version does not know, which a newer backend may send
 * @throws MonError `invalid` with the place that is wrong
 */
export function parseFeedFrame(text: string): FeedMessage | undefined {
  const frame = fields(parseJson(text), 'frame');
  switch (frame['type']) {
    case 'ping':
    case 'pong':
      return { type: frame['type'] };
    case 'live':
      return { type: 'live', seq: sequence(frame['seq']) };
    case 'reset':
      return { type: 'reset', reason: string(frame['reason'], 'reason') };
    case 'snapshot':
      return { type: 'snapshot', seq: sequence(frame['seq']), rows: feedRows(frame['rows']) };
    case 'changes':
      return {
        type: 'changes',
        seq: sequence(frame['seq']),
        time: number(frame['time'], 'time'),
        rows: feedRows(frame['rows']),
      };
    case 'stats':
      return { type: 'stats', time: number(frame['time'], 'time'), stats: feedStats(frame['stats']) };
    case 'message':
      return {
        type: 'message',
        transport: string(frame['transport'], 'transport'),
        time: number(frame['time'], 'time'),
        data: string(frame['data'], 'data'),
      };
    case 'missed':
      return {
        type: 'missed',
        transport: string(frame['transport'], 'transport'),
        time: number(frame['time'], 'time'),
        count: number(frame['count'], 'count'),
      };
    case 'error':
      return { type: 'error', code: string(frame['code'], 'code'), message: string(frame['message'], 'message') };
    case 'hello':
      return {
        type: 'hello',
        version: string(frame['version'], 'version'),
        store: string(frame['store'], 'store'),
        name: string(frame['name'], 'name'),
        time: number(frame['time'], 'time'),
        ...(frame['pace'] === true && { pace: true }),
      };
    default:
      string(frame['type'], 'type');
      return undefined;
  }
}

function feedRows(value: unknown): FeedRows {
  const { events, silenced, clients, upgrades } = fields(value, 'rows');
  return {
    ...(events !== undefined && { events: rowsByKey(events, 'events', isEventRow) }),
    ...(silenced !== undefined && { silenced: rowsByKey(silenced, 'silenced', isSilencedRow) }),
    ...(clients !== undefined && { clients: rowsByKey(clients, 'clients', isClientRow) }),
    ...(upgrades !== undefined && { upgrades: rowsByKey(upgrades, 'upgrades', isUpgradeRow) }),
  };
}

function rowsByKey<Row>(
  value: unknown,
  topic: string,
  isRow: (row: unknown) => row is Row,
): Readonly<Record<string, Row | null>> {
  const isRows = (rows: Fields): rows is Readonly<Record<string, Row | null>> => {
    for (const key in rows) {
      const row = rows[key];
      if (row !== null && !isRow(row)) throw malformed(`rows.${topic}[${JSON.stringify(key)}]`);
    }
    return true;
  };
  const rows = fields(value, `rows.${topic}`);
  if (!isRows(rows)) throw malformed(`rows.${topic}`);
  return rows;
}

function isEventRow(row: unknown): row is EventRow {
  return (
    isFields(row) &&
    isStringOrNothing(row['namespace']) &&
    typeof row['client'] === 'string' &&
    typeof row['check'] === 'string' &&
    typeof row['status'] === 'number' &&
    isAction(row['action']) &&
    typeof row['occurrences'] === 'number' &&
    typeof row['since'] === 'number' &&
    typeof row['last'] === 'number' &&
    isStrings(row['silenced_by']) &&
    typeof row['output'] === 'string'
  );
}

function isSilencedRow(row: unknown): row is SilencedRow {
  return (
    isFields(row) &&
    isStringOrNothing(row['namespace']) &&
    typeof row['id'] === 'string' &&
    isStringOrNull(row['subscription']) &&
    isStringOrNull(row['check']) &&
    isStringOrNull(row['reason']) &&
    isStringOrNull(row['creator']) &&
    isNumberOrNull(row['begin']) &&
    typeof row['expire_on_resolve'] === 'boolean' &&
    typeof row['timestamp'] === 'number' &&
    isNumberOrNull(row['expire_at'])
  );
}

function isClientRow(row: unknown): row is ClientRow {
  return (
    isFields(row) &&
    isStringOrNothing(row['namespace']) &&
    typeof row['name'] === 'string' &&
    typeof row['address'] === 'string' &&
    isStrings(row['subscriptions']) &&
    typeof row['timestamp'] === 'number' &&
    typeof row['version'] === 'string'
  );
}

const RUNBOOK_STATES: readonly unknown[] = ['open', 'done', 'abandoned', 'rolled-back'] satisfies PlanRunState[];
const STEP_STATES: readonly unknown[] = [
  'waiting',
  'running',
  'confirm',
  'done',
  'failed',
  'skipped',
] satisfies PlanRunStepState[];
const VERDICTS: readonly unknown[] = ['pass', 'warn', 'block'] satisfies RuleVerdict[];

function isUpgradeRow(row: unknown): row is UpgradeRow {
  return (
    isFields(row) &&
    typeof row['id'] === 'number' &&
    typeof row['revision'] === 'number' &&
    typeof row['from'] === 'string' &&
    typeof row['to'] === 'string' &&
    RUNBOOK_STATES.includes(row['state']) &&
    VERDICTS.includes(row['verdict']) &&
    isStringOrNull(row['holder']) &&
    (row['step'] === null || isUpgradeStep(row['step']))
  );
}

function isUpgradeStep(step: unknown): boolean {
  return (
    isFields(step) &&
    typeof step['number'] === 'number' &&
    typeof step['of'] === 'number' &&
    typeof step['title'] === 'string' &&
    STEP_STATES.includes(step['state'])
  );
}

function feedStats(value: unknown): FeedStats {
  const stats = fields(value, 'stats');
  const results = fields(stats['results'], 'stats.results');
  return {
    results: {
      ok: number(results['ok'], 'stats.results.ok'),
      warning: number(results['warning'], 'stats.results.warning'),
      critical: number(results['critical'], 'stats.results.critical'),
      unknown: number(results['unknown'], 'stats.results.unknown'),
    },
    clients: number(stats['clients'], 'stats.clients'),
    rate: number(stats['rate'], 'stats.rate'),
    queue: number(stats['queue'], 'stats.queue'),
    ...(stats['entities'] === undefined ? {} : { entities: entityUsage(fields(stats['entities'], 'stats.entities')) }),
  };
}

function entityUsage(usage: Fields): EntityUsage {
  const { limit } = usage;
  return {
    total: number(usage['total'], 'stats.entities.total'),
    proxies: number(usage['proxies'], 'stats.entities.proxies'),
    limit: limit === 'unlimited' ? limit : number(limit, 'stats.entities.limit'),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MonError('invalid', 'the backend sent a frame that is not JSON', { cause: error });
  }
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function isStringOrNothing(value: unknown): boolean {
  return value === undefined || typeof value === 'string';
}

function isNumberOrNull(value: unknown): boolean {
  return value === null || typeof value === 'number';
}

function isAction(value: unknown): boolean {
  return value === 'create' || value === 'resolve' || value === 'flapping';
}

function fields(value: unknown, place: string): Fields {
  if (!isFields(value)) throw malformed(place);
  return value;
}

function string(value: unknown, place: string): string {
  if (typeof value !== 'string') throw malformed(place);
  return value;
}

function number(value: unknown, place: string): number {
  // JSON has no NaN, but 1e999 reads as infinity.
  if (typeof value !== 'number' || !Number.isFinite(value)) throw malformed(place);
  return value;
}

function sequence(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw malformed('seq');
  return value;
}

function malformed(place: string): MonError {
  return new MonError('invalid', `the backend sent a malformed frame: ${place}`);
}
