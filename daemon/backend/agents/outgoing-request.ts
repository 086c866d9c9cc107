import type { BackendMessage, CheckRequest } from '../../../shared/schemas/agent.ts';
import { textFrame } from '../sockets/frame-socket.ts';

/** A check request on its way to any number of agents: what is the same for all of them is made once. */
export class OutgoingRequest {
  readonly check: CheckRequest;
  #frame: Buffer | undefined;

  constructor(check: CheckRequest) {
    this.check = check;
  }

  /** As our own agents take it. */
  get frame(): Buffer {
    return (this.#frame ??= textFrame(JSON.stringify(this.#message())));
  }

  #message(): BackendMessage {
    const { subscribers: _subscribers, ...check } = this.check;
    return { type: 'check_request', check };
  }
}
