import type { BackendMessage, CheckRequest } from '../../../shared/schemas/agent.ts';
import { textFrame } from '../sockets/frame-socket.ts';

/** A check request that is sent to one or more agents. The frame, which is the same for all, is encoded only once. */
export class OutgoingRequest {
  readonly check: CheckRequest;
  #frame: Buffer | undefined;

  constructor(check: CheckRequest) {
    this.check = check;
  }

  /** The WebSocket frame with the request in the protocol of mon agents. */
  get frame(): Buffer {
    return (this.#frame ??= textFrame(JSON.stringify(this.#message())));
  }

  #message(): BackendMessage {
    const { subscribers: _subscribers, ...check } = this.check;
    return { type: 'check_request', check };
  }
}
