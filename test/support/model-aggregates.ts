/*
 * A second implementation of aggregate rules for comparison, written only from the specification (aggregates 1 and 2).
 */

/** An aggregate rule in the form of the configuration. */
export interface ModelRule {
  readonly aggregate: string;
  readonly warning?: number | string;
  readonly critical?: number | string;
  readonly stale?: { readonly after: number; readonly warning?: number | string; readonly critical?: number | string };
  readonly 'min-results'?: number;
  readonly 'ignore-silenced'?: boolean;
  readonly interval: number;
  readonly check: Readonly<Record<string, unknown>>;
}

/** A result that belongs to an aggregate. */
export interface ModelMember {
  readonly status: number;
  readonly executed: number;
  readonly isSilenced: boolean;
}

interface Moment {
  /** The current time in epoch seconds. */
  readonly now: number;
  /** Time in epoch seconds since which results could arrive: the start of the backend. */
  readonly started: number;
}

export function statusOfRule(rule: ModelRule, members: readonly ModelMember[], { now, started }: Moment): number {
  const counted = members.filter(({ isSilenced }) => !(isSilenced && rule['ignore-silenced'] === true));
  const isStale = ({ executed }: ModelMember): boolean =>
    rule.stale !== undefined && now - Math.max(executed, started) > rule.stale.after;
  const fresh = counted.filter((member) => !isStale(member));
  if (fresh.length < (rule['min-results'] ?? 0)) return 3;
  const bad = fresh.filter(({ status }) => status !== 0).length;
  return Math.max(
    levelOf(rule, bad, fresh.length),
    levelOf(rule.stale ?? {}, counted.length - fresh.length, counted.length),
  );
}

/** Returns the times in epoch seconds at which results become stale, so that the status of the rule may change. */
export function turnsOfRule(rule: ModelRule, members: readonly ModelMember[], started: number): number[] {
  const { stale } = rule;
  return stale === undefined ? [] : members.map(({ executed }) => Math.max(executed, started) + stale.after + 1);
}

function levelOf(limits: Pick<ModelRule, 'warning' | 'critical'>, count: number, of: number): number {
  const isReached = (limit: number | string | undefined): boolean => {
    if (limit === undefined || count === 0) return false;
    return typeof limit === 'number' ? count >= limit : (count / of) * 100 >= Number(limit.replace('%', ''));
  };
  if (isReached(limits.critical)) return 2;
  return isReached(limits.warning) ? 1 : 0;
}
