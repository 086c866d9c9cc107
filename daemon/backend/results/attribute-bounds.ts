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

  /** @param limits returns the limits; called for every object, because a reload of the settings can change them */
  constructor(limits: () => AttributeLimits = () => ATTRIBUTE_LIMITS) {
    this.#limits = limits;
  }

  /**
   * Returns the error `too_large` or `invalid` for a result whose attributes exceed the limits; otherwise undefined.
   */
  refusalOf(result: object): MonError | undefined {
    const excess = excessOfResult(result, this.#limits());
    return excess === undefined ? undefined : attributeExcessError(excess);
  }

  /**
   * Throws if the attributes of a client exceed the limits.
   *
   * @param noun the word for the client in the error message, such as `client` or `entity`
   * @throws MonError `too_large`, `invalid`
   */
  refuseClient(client: object, noun?: string): void {
    const excess = excessOfClient(client, this.#limits(), noun);
    if (excess !== undefined) throw attributeExcessError(excess);
  }
}

function attributeExcessError({ limit, message }: AttributeExcess): MonError {
  return new MonError(limit === 'bytes' ? 'too_large' : 'invalid', message);
}
