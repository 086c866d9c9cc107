import {
  excessOfClient,
  excessOfResult,
  type AttributeExcess,
  type AttributeLimits,
} from '../../../shared/domain/attribute-limits.ts';
import { MonError } from '../../../shared/errors.ts';
import { ATTRIBUTE_LIMITS } from '../../../shared/schemas/fixed-limits.ts';

/** Rejects clients and results whose attributes exceed the limits of the settings (security S7). */
export class AttributeBounds {
  readonly #limits: () => AttributeLimits;

  /** @param limits called each time, because a reload changes them; default: those of the settings */
  constructor(limits: () => AttributeLimits = () => ATTRIBUTE_LIMITS) {
    this.#limits = limits;
  }

  /** Returns the reason why a result is rejected, `too_large` or `invalid`; undefined: it is accepted. */
  refusalOf(result: object): MonError | undefined {
    const excess = excessOfResult(result, this.#limits());
    return excess === undefined ? undefined : refusal(excess);
  }

  /**
   * @param noun the name of the object for operators
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
