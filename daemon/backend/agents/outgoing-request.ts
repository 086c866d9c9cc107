import type { BackendMessage, CheckRequest } from '../../../shared/schemas/agent.ts';
import { textFrame } from '../sockets/frame-socket.ts';

/** A check request to any number of agents. Parts that are the same for all of them are built once. */
export class OutgoingRequest {
  readonly check: CheckRequest;
  #frame: Buffer | undefined;

  constructor(check: CheckRequest) {
    this.check = check;
  }

  /** The frame for mon agents. */
  get frame(): Buffer {
    return (this.#frame ??= textFrame(JSON.stringify(this.#message())));
  }

  #message(): BackendMessage {
    const { subscribers: _subscribers, ...check } = this.check;
    return { type: 'check_request', check };
  }
}
