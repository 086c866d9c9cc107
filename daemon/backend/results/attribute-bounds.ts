import {
  excessOfClient,
  excessOfResult,
  type AttributeExcess,
  type AttributeLimits,
} from '../../../shared/domain/attribute-limits.ts';
import { MonError } from '../../../shared/errors.ts';
import { ATTRIBUTE_LIMITS } from '../../../shared/schemas/fixed-limits.ts';

/** Refuses clients and results that bring along more than the settings allow (security S7). */
export class AttributeBounds {
  readonly #limits: () => AttributeLimits;

  /** @param limits asked each time, because a reload changes them; default: those of the settings */
  constructor(limits: () => AttributeLimits = () => ATTRIBUTE_LIMITS) {
    this.#limits = limits;
  }

  /** Why a result is refused, `too_large` or `invalid`; undefined: it is not. */
  refusalOf(result: object): MonError | undefined {
    const excess = excessOfResult(result, this.#limits());
    return excess === undefined ? undefined : refusal(excess);
  }

  /**
   * @param noun what people call it
   * @throws MonError `too_large`, `invalid`
   */
  refuseClient(client: object, noun?: string): void {
    const excess = excessOfClient(client, this.#limits(), noun);
    if (excess !== undefined) throw refusal(excess);
  }
}

function refusal({ limit, message }: AttributeExcess): MonError {
  return new MonError(limit === 'bytes' ? 'too_large' : 'invalid', message);
}
