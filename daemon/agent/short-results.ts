import { hasShortTimes } from '../../shared/domain/short-result.ts';
import type { ShortResult } from '../../shared/schemas/agent.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import type { SpooledResult } from './unsaved-results.ts';

/** Checks of which a base is remembered; results of others are told whole. */
const BASES_MAX = 1024;
/** Longest output, and longest JSON text of the attributes that results of a check share, in UTF-16 units. */
const CHARACTERS_MAX = 16 * 1024;

/** A passing result, in what may differ from one to the next and what may not. */
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

interface Base extends PassingResult {
  readonly id: number;
  readonly key: string;
  /** Whether the backend remembers it too. */
  isConfirmed: boolean;
}

/**
 * Tells results by what differs from an earlier one of the same check, the base, once the backend has confirmed that it
 * remembers that one. For one connection, and in the order in which results are sent over it: each is one that is sent.
 */
export class ShortResults {
  /** The last whole result of each check, where it can be a base. */
  readonly #bases = new Map<string, Base>();
  readonly #basesById = new Map<number, Base>();

  /** The backend remembers the results with these ids; those that others have followed meanwhile are no bases any more. */
  confirm(ids: readonly number[]): void {
    for (const id of ids) {
      const base = this.#basesById.get(id);
      if (base !== undefined) base.isConfirmed = true;
    }
  }

  /** @returns the JSON text of an item of a `results` frame */
  itemOf({ id, text }: SpooledResult, signature: string | undefined): string {
    const result = JSON.parse(text) as SubmittedResult;
    const key = `${result.source ?? ''}/${result.name}`;
    const base = this.#bases.get(key);
    const passing = passingResult(result);
    if (passing !== undefined && base?.isConfirmed === true && isLike(passing, base)) {
      return JSON.stringify(shortResult(id, passing, base));
    }
    // For the backend too it takes the place of the one before, whatever becomes of it.
    if (base !== undefined) this.#forget(base);
    if (passing !== undefined) this.#remember({ id, key, ...passing, isConfirmed: false });
    const signed = signature === undefined ? '' : `"signature":${JSON.stringify(signature)},`;
    return `{"id":${String(id)},${signed}"check":${text}}`;
  }

  #remember(base: Base): void {
    const { shared, output } = base;
    if (this.#bases.size >= BASES_MAX || Math.max(shared.length, output.length) > CHARACTERS_MAX) return;
    this.#bases.set(base.key, base);
    this.#basesById.set(base.id, base);
  }

  #forget({ key, id }: Base): void {
    this.#bases.delete(key);
    this.#basesById.delete(id);
  }
}

/** @returns undefined when it cannot be a base, nor be told by one */
function passingResult(result: SubmittedResult): PassingResult | undefined {
  if (result.status !== 0 || typeof result.output !== 'string' || !hasShortTimes(result)) return undefined;
  const { executed, issued, duration, output, ...others } = result;
  return { executed, issued, duration, output, shared: JSON.stringify(others) };
}

function isLike(result: PassingResult, base: Base): boolean {
  return result.shared === base.shared && (result.duration === undefined) === (base.duration === undefined);
}

function shortResult(id: number, { executed, issued, duration, output }: PassingResult, base: Base): ShortResult {
  return {
    id,
    of: base.id,
    executed,
    issued,
    ...(duration !== undefined && { duration }),
    ...(output !== base.output && { output }),
  };
}
