import { hasDeltaTimes } from '../../shared/domain/delta-result.ts';
import type { DeltaResult } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import type { SpooledResult } from './unsaved-results.ts';

/** Most checks with a baseline; results of all other checks are sent in full. */
const BASELINES_MAX = 1024;
/** Longest output, and longest JSON text of the attributes that results of a check share, in UTF-16 units. */
const CHARACTERS_MAX = 16 * 1024;

/** A passing result, split into the attributes that a delta can change and those that it shares with its baseline. */
interface PassingResult {
  /** Epoch seconds. */
  readonly executed: number;
  /** Epoch seconds. */
  readonly issued: number;
  /** Seconds. */
  readonly duration: number | undefined;
  readonly output: string;
  /** The JSON text of all other attributes, in their order. */
  readonly shared: string;
}

interface Baseline extends PassingResult {
  readonly id: number;
  readonly key: string;
  /** True once the backend has named it in `baselines`. */
  isConfirmed: boolean;
}

/**
 * Encodes the results of one connection, in the order in which they are sent. A result becomes a delta if the backend
 * has confirmed an earlier result of the same check as its baseline.
 */
export class DeltaEncoder {
  /** The last full result of each check, if it can be a baseline. */
  readonly #baselines = new Map<string, Baseline>();
  readonly #baselinesById = new Map<number, Baseline>();

  /** Marks the results with these ids as usable. Ignores those that a later full result has replaced. */
  confirm(ids: readonly number[]): void {
    for (const id of ids) {
      const baseline = this.#baselinesById.get(id);
      if (baseline !== undefined) baseline.isConfirmed = true;
    }
  }

  /** Returns the JSON text of an item of a `results` frame. */
  encode({ id, text }: SpooledResult, signature: string | undefined): string {
    const result = JSON.parse(text) as SubmittedResult;
    const key = `${result.source ?? ''}/${result.name}`;
    const baseline = this.#baselines.get(key);
    const passing = passingResult(result);
    if (passing !== undefined && baseline?.isConfirmed === true && isLike(passing, baseline)) {
      return JSON.stringify(deltaResult(id, passing, baseline));
    }
    // The backend also discards the old baseline when it receives a full result, even if it rejects that result.
    if (baseline !== undefined) this.#forget(baseline);
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

  #forget({ key, id }: Baseline): void {
    this.#baselines.delete(key);
    this.#baselinesById.delete(id);
  }
}

/** @returns undefined if the result can neither be a baseline nor a delta */
function passingResult(result: SubmittedResult): PassingResult | undefined {
  if (result.status !== 0 || typeof result.output !== 'string' || !hasDeltaTimes(result)) return undefined;
  const { executed, issued, duration, output, ...others } = result;
  return { executed, issued, duration, output, shared: JSON.stringify(others) };
}

function isLike(result: PassingResult, baseline: Baseline): boolean {
  return result.shared === baseline.shared && (result.duration === undefined) === (baseline.duration === undefined);
}

function deltaResult(
  id: number,
  { executed, issued, duration, output }: PassingResult,
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
