import {
  CHECK_GRACE_SECONDS,
  checksFinding,
  CONDITION_NAMES,
  entitiesFinding,
  handlersFinding,
  onCallFinding,
  silencesFinding,
  type BrokenCheck,
  type ConditionName,
  type ConditionFinding,
  type ScheduleGap,
} from '../../../shared/domain/backend-conditions.ts';
import { localTimeText } from '../../../shared/domain/on-call/words.ts';
import { errorMessage } from '../../../shared/errors.ts';
import { BACKEND_CLIENT } from '../../../shared/schemas/backend-client.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Log } from '../../log/log.ts';
import { readRecords } from '../model/events/read-records.ts';
import type { Clock, Store } from '../ports.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Results } from '../results/commands.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { findBrokenChecks, type BrokenCheckDependencies } from './broken-checks.ts';
import type { ConditionBoard } from './condition-board.ts';
import { failingHandlers, type FailingHandlerDependencies } from './failing-handlers.ts';
import { OwnCheck } from './own-check.ts';

/** The interval between two measurements of all conditions. */
const MEASURE_INTERVAL_MS = 10_000;
/** The minimum interval between two log records about the same condition. */
const LOG_MS = 60_000;

interface ConditionDependencies extends BrokenCheckDependencies, FailingHandlerDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace' | 'onCall'>;
  readonly board: ConditionBoard;
  readonly entityLimit: Pick<EntityLimit, 'usage' | 'refusedNames'>;
  readonly registry: Registry;
  readonly results: Pick<Results, 'submitBackendResult'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * The state of a condition before a measurement: its last status, and the objects in its last finding. At the start, an
 * event that an earlier process or another member left open provides both.
 */
interface EarlierState {
  readonly status: number;
  readonly subjects: ReadonlySet<string>;
}

type ConditionMeasure = (earlier: EarlierState) => ConditionFinding | Promise<ConditionFinding>;

interface WatchedCondition {
  readonly name: ConditionName;
  readonly measure: ConditionMeasure;
  readonly check: OwnCheck;
  subjects: ReadonlySet<string> | undefined;
  loggedStatus: number;
  loggedAtMs: number;
}

/**
 * Measures the conditions of the backend, such as failing handlers, and reports each as a check of the client
 * `mon.backend`. So operators are notified about problems that would otherwise stay hidden. The events resolve
 * automatically.
 */
export function watchConditions(parts: ConditionDependencies): Disposable {
  const { board, clock, log, registry } = parts;
  const measures = measuresOf(parts);
  const watched = CONDITION_NAMES.map((name): WatchedCondition => ({
    name,
    measure: measures[name],
    check: new OwnCheck({ ...parts, client: BACKEND_CLIENT, check: name }),
    subjects: undefined,
    loggedStatus: 0,
    loggedAtMs: -Infinity,
  }));
  let isLooking = false;
  const timer = clock.every(MEASURE_INTERVAL_MS, () => {
    if (isLooking) return;
    isLooking = true;
    void measureConditions().finally(() => {
      isLooking = false;
    });
  });
  return {
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      board.clear();
    },
  };

  /** Measures and reports all conditions. The promise never rejects, because errors are logged. */
  async function measureConditions(): Promise<void> {
    for (const one of watched) {
      try {
        one.subjects ??= await storedSubjects(one.name);
        const finding = await one.measure({ status: one.check.status, subjects: one.subjects });
        board.put(one.name, finding);
        writeLog(one, finding);
        one.subjects = new Set(finding.subjects);
        await one.check.report({
          status: finding.status,
          output: finding.text,
          subjects: finding.subjects.slice(0, STORED_SUBJECTS_MAX),
        });
      } catch (error) {
        // The next measurement submits the result again.
        log.debug(
          { condition: one.name, reason: errorMessage(error) },
          'could not store the result of a backend health check, retrying soon',
        );
      }
    }
  }

  async function storedSubjects(name: ConditionName): Promise<ReadonlySet<string>> {
    const entry = registry.namespace(DEFAULT_NAMESPACE).check(BACKEND_CLIENT, name);
    if (entry?.state.event === undefined) return new Set();
    const [entryWithRecord] = await readRecords(parts.store, [entry]);
    const subjects = entryWithRecord?.[1].check?.['subjects'];
    return new Set(Array.isArray(subjects) ? subjects.map(String) : []);
  }

  function writeLog(one: WatchedCondition, { status, text }: ConditionFinding): void {
    const nowMs = clock.monotonic();
    const isChange = status !== one.loggedStatus;
    if (!isChange && (status === 0 || nowMs - one.loggedAtMs < LOG_MS)) return;
    // A changed status is logged immediately, unless the last record about the condition is less than a minute old.
    if (nowMs - one.loggedAtMs < LOG_MS) return;
    one.loggedStatus = status;
    one.loggedAtMs = nowMs;
    log[status === 0 ? 'info' : 'warn']({ condition: one.name, status }, text);
  }
}

/** The maximum number of affected objects that are stored with a result. */
const STORED_SUBJECTS_MAX = 100;

/** Returns the measuring function of each condition. */
function measuresOf(parts: ConditionDependencies): Readonly<Record<ConditionName, ConditionMeasure>> {
  const { clock, entityLimit, registry } = parts;
  /** Time since which each broken check cannot run, on the monotonic clock, by check name. */
  let brokenSinceMs: ReadonlyMap<string, number> = new Map();
  return {
    'mon.entities': ({ status }) => entitiesFinding(entityLimit.usage(), entityLimit.refusedNames(), status),
    'mon.handlers': ({ subjects }) => handlersFinding(failingHandlers(parts, subjects)),
    'mon.checks': async ({ subjects }) => {
      const nowMs = clock.monotonic();
      const broken = await findBrokenChecks(parts);
      const sinceMs = (name: string): number => (subjects.has(name) ? -Infinity : (brokenSinceMs.get(name) ?? nowMs));
      const isLong = ({ name }: BrokenCheck): boolean => nowMs - sinceMs(name) >= CHECK_GRACE_SECONDS * 1000;
      brokenSinceMs = new Map(broken.map(({ name }) => [name, sinceMs(name)]));
      return checksFinding(broken.filter(isLong));
    },
    'mon.on-call': () => onCallFinding(scheduleGaps(parts.definitions.onCall, clock.now())),
    'mon.silences': () =>
      silencesFinding(
        [...registry.namespaces()].flatMap(({ name, silenced }) =>
          silenced.idleCount === 0
            ? []
            : [...silenced.all()].filter(({ idle }) => idle !== undefined).map(({ id }) => qualifiedName(name, id)),
        ),
      ),
  };
}

function scheduleGaps(onCall: Definitions['onCall'], nowMs: number): ScheduleGap[] {
  return [...onCall.schedules.values()].flatMap((schedule) => {
    const gap = onCall.nextGap(schedule);
    if (gap === undefined) return [];
    const [from, until] = [localTimeText(gap.fromMs, schedule.zone), localTimeText(gap.untilMs, schedule.zone)];
    return [{ name: schedule.name, isNow: gap.fromMs <= nowMs, from, until }];
  });
}

/** Returns a name with its namespace as a prefix, or only the name in the namespace `default`. */
function qualifiedName(namespace: string, name: string): string {
  return namespace === DEFAULT_NAMESPACE ? name : `${namespace}/${name}`;
}
