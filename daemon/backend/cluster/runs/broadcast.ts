import { errorMessage } from '../../../../shared/errors.ts';
import { PEER_PIECES_PATH, PIECES_MAX, type PeerTransportMessage } from '../../../../shared/schemas/peer-run.ts';
import type { Log } from '../../../log/log.ts';
import { RateLimitedLog } from '../../../log/rate-limit.ts';
import type { Clock } from '../../ports.ts';
import type { LiveMember } from './live-member.ts';
import type { LiveMembers } from './live-members.ts';

/** Maximum length of the messages in one request, in UTF-16 code units; as JSON, a unit takes at most six bytes. */
const BATCH_LENGTH_MAX = 1024 * 1024;
/** Maximum length of the messages that wait for one member, in UTF-16 code units; further messages are dropped. */
const WAITING_LENGTH_MAX = 8 * 1024 * 1024;
const SEND_MS = 5000;

interface BroadcastDependencies {
  readonly members: Pick<LiveMembers, 'respondingMembers'>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Sends the messages of transport handlers to the other members, which publish them to the listeners connected there;
 * nothing is stored.
 */
export class Broadcast {
  readonly #dependencies: BroadcastDependencies;
  readonly #missedLog: RateLimitedLog;
  readonly #outboxes = new WeakMap<LiveMember, Outbox>();

  constructor(dependencies: BroadcastDependencies) {
    this.#dependencies = dependencies;
    this.#missedLog = new RateLimitedLog(dependencies.log, dependencies.clock);
  }

  publish(transport: string, namespace: string, data: string): void {
    for (const member of this.#dependencies.members.respondingMembers())
      this.#outboxOf(member).add({ transport, namespace, data });
  }

  #outboxOf(member: LiveMember): Outbox {
    let outbox = this.#outboxes.get(member);
    if (outbox === undefined) {
      const { name } = member.address;
      const miss = (reason: string): void =>
        this.#missedLog.warn(
          () => ({ member: name, reason }),
          'transport messages could not be sent to another member',
        );
      outbox = new Outbox(member, miss);
      this.#outboxes.set(member, outbox);
    }
    return outbox;
  }
}

/** The queue of messages for one member. Requests are sent one after another, so that the messages stay in order. */
class Outbox {
  readonly #member: LiveMember;
  readonly #reportMissed: (reason: string) => void;
  #waiting: PeerTransportMessage[] = [];
  #length = 0;
  #isSending = false;

  constructor(member: LiveMember, miss: (reason: string) => void) {
    this.#member = member;
    this.#reportMissed = miss;
  }

  add(piece: PeerTransportMessage): void {
    if (this.#length + piece.data.length > WAITING_LENGTH_MAX) {
      this.#reportMissed('it is too slow');
      return;
    }
    this.#waiting.push(piece);
    this.#length += piece.data.length;
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      try {
        const body = Buffer.from(JSON.stringify({ pieces: this.#takeBatch() }));
        const { status } = await this.#member.post(PEER_PIECES_PATH, body, SEND_MS);
        if (status !== 204) this.#reportMissed(`it answered ${String(status)}`);
      } catch (error) {
        this.#reportMissed(errorMessage(error));
      }
    }
    this.#isSending = false;
  }

  #takeBatch(): PeerTransportMessage[] {
    let count = 0;
    let length = 0;
    for (const { data } of this.#waiting) {
      if (count === PIECES_MAX || (count > 0 && length + data.length > BATCH_LENGTH_MAX)) break;
      count++;
      length += data.length;
    }
    this.#length -= length;
    return this.#waiting.splice(0, count);
  }
}
