import { hasDeltaTimes } from '../../shared/domain/delta-result.ts';
import type { DeltaResult } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import type { SpooledResult } from './unsaved-results.ts';

/**
 * Maximum number of checks that have a baseline, the full result to which later results are sent as a difference. The
 * results of other checks are always sent in full.
 */
const BASELINES_MAX = 1024;
/** Maximum length of a baseline's output, and of the JSON text of its other attributes, in UTF-16 code units. */
const CHARACTERS_MAX = 16 * 1024;

/** An OK result, split into the attributes that a delta contains and those that must be equal to the baseline's. */
interface SplitOkResult {
  /** Start of the check, in epoch seconds. */
  readonly executed: number;
  /** Time at which the check was scheduled or requested, in epoch seconds. */
  readonly issued: number;
  /** Run time of the check in seconds; undefined if unknown. */
  readonly duration: number | undefined;
  readonly output: string;
  /** The JSON text of all other attributes, in the order in which the result has them. */
  readonly shared: string;
}

interface Baseline extends SplitOkResult {
  readonly id: number;
  readonly key: string;
  /** True once an `ack` from the backend has listed this baseline in `baselines`. */
  isConfirmed: boolean;
}

/**
 * Encodes the results of one connection, in the order in which they are sent. An OK result becomes a delta (a
 * difference to an earlier full result, its baseline) under two conditions: the backend has confirmed a baseline of the
 * same check, and only the times and the output differ from it.
 */
export class DeltaEncoder {
  /** The last full result of each check, if it can be a baseline. */
  readonly #baselines = new Map<string, Baseline>();
  readonly #baselinesById = new Map<number, Baseline>();

  /**
   * Marks the baselines with these ids as confirmed. Ignores the id of a baseline that a later full result has
   * replaced.
   */
  confirm(ids: readonly number[]): void {
    for (const id of ids) {
      const baseline = this.#baselinesById.get(id);
      if (baseline !== undefined) baseline.isConfirmed = true;
    }
  }

  /** Returns the JSON text of one item of a `results` frame: a delta if possible, otherwise the full result. */
  encode({ id, text }: SpooledResult, signature: string | undefined): string {
    const result = JSON.parse(text) as SubmittedResult;
    const key = `${result.source ?? ''}/${result.name}`;
    const baseline = this.#baselines.get(key);
    const passing = splitOkResult(result);
    if (passing !== undefined && baseline?.isConfirmed === true && canBeDeltaOf(passing, baseline)) {
      return JSON.stringify(deltaResult(id, passing, baseline));
    }
    // A full result invalidates the baseline of its check. The backend discards that baseline too, even if it rejects
    // the full result.
    if (baseline !== undefined) this.#removeBaseline(baseline);
    if (passing !== undefined) this.#remember({ id, key, ...passing, isConfirmed: false });
    const signed = signature === undefined ? '' : `"signature":${JSON.stringify(signature)},`;
    return `{"id":${String(id)},${signed}"check":${text}}`;
  }

  #remember(baseline: Baseline): void {
    const { shared, output } = baseline;
    if (this.#baselines.size >= BASELINES_MAX || Math.max(shared.length, output.length) > CHARACTERS_MAX) return;
    this.#baselines.set(baseline.key, baseline);
    this.#baselinesById.set(baseline.id, baseline);
  }

  #removeBaseline({ key, id }: Baseline): void {
    this.#baselines.delete(key);
    this.#baselinesById.delete(id);
  }
}

/**
 * Prepares an OK result for delta encoding.
 *
 * @returns undefined if the result can be sent neither as a baseline nor as a delta
 */
function splitOkResult(result: SubmittedResult): SplitOkResult | undefined {
  if (result.status !== 0 || typeof result.output !== 'string' || !hasDeltaTimes(result)) return undefined;
  const { executed, issued, duration, output, ...others } = result;
  return { executed, issued, duration, output, shared: JSON.stringify(others) };
}

function canBeDeltaOf(result: SplitOkResult, baseline: Baseline): boolean {
  return result.shared === baseline.shared && (result.duration === undefined) === (baseline.duration === undefined);
}

function deltaResult(
  id: number,
  { executed, issued, duration, output }: SplitOkResult,
  baseline: Baseline,
): DeltaResult {
  return {
    id,
    baseline: baseline.id,
    executed,
    issued,
    ...(duration !== undefined && { duration }),
    ...(output !== baseline.output && { output }),
  };
}
