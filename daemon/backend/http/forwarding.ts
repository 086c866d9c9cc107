import type { FastifyInstance } from 'fastify';

/** What goes between backends that share a store. */
export interface RequestForwarding {
  /** Takes what other backends send on; to be called before anything is added that asks who somebody is. */
  receive(app: FastifyInstance): void;
  /**
   * Sends what is for another backend there; to be called when all is added that a request must pass.
   *
   * @param isOfV2 whether the listener is one of the newer API alone
   */
  forward(app: FastifyInstance, isOfV2: boolean): void;
}
