import { onTestFinished } from 'vitest';
import { MonError } from '../../shared/errors.ts';
import { randomUUID } from 'node:crypto';
import { Forwarding } from '../../daemon/backend/cluster/forwarding/forwarding.ts';
import type { Leadership, PeerAddress } from '../../daemon/backend/cluster/forwarding/leadership.ts';
import { PeerKeys } from '../../daemon/backend/cluster/forwarding/proof/peer-keys.ts';
import { PeerSignatures } from '../../daemon/backend/cluster/forwarding/proof/peer-signatures.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';

/** Maximum time in milliseconds that a request waits for a leader. */
const WAIT_MS = 1000;

/** A leadership whose role and state the test sets. */
export class ScriptedLeadership implements Leadership {
  isLeader: boolean;
  hasSuccessor = false;
  seq = 7;
  /** Sequence numbers that `waitForWrite` was called with. */
  readonly waited: number[] = [];
  /** Resolves when this backend has caught up with a sequence number; by default at once. */
  catchUp: (seq: number) => Promise<void> = async () => undefined;
  #place: PeerAddress | undefined;

  constructor(isWriter: boolean) {
    this.isLeader = isWriter;
  }

  /**
   * Makes this backend a follower.
   *
   * @param place address of the leader; `undefined` if there is none
   */
  follow(place: PeerAddress | undefined): void {
    this.isLeader = false;
    this.#place = place;
  }

  async awaitLeader(): Promise<'self' | PeerAddress> {
    const endMs = performance.now() + WAIT_MS;
    for (;;) {
      if (this.isLeader) return 'self';
      if (this.#place !== undefined) return this.#place;
      if (performance.now() > endMs) throw new MonError('unavailable', 'no backend writes');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Error that reads are rejected with, because this backend is too far behind; `undefined` if it may serve them. */
  stale: MonError | undefined;

  refuseStale(): void {
    if (this.stale !== undefined) throw this.stale;
  }

  waitForWrite(seq: number): Promise<void> {
    this.waited.push(seq);
    return this.catchUp(seq);
  }
}

export interface Member extends RunningBackend {
  readonly id: string;
  readonly leadership: ScriptedLeadership;
  readonly forwarding: Forwarding;
}

/** Key that all backends of a test share. */
export const PEER_KEY = 'k'.repeat(43);
/** Secret in the common database that all backends of a test know. */
export const SECRET = 'the secret of all';

/** How a backend proves that it is a member: with a key from a file, or with the secret from the database. */
type Proof = { readonly key: string } | { readonly secret: string };

interface MemberOptions extends NonNullable<Parameters<typeof startBackend>[0]> {
  /** Id of the member; default: `the writer` for a leader, and a random id for a follower. */
  readonly id?: string;
  /** Proof of membership; default: the key `PEER_KEY`. */
  readonly proof?: Proof;
}

function keysOf(proof: Proof): PeerKeys {
  return 'key' in proof ? PeerKeys.ofFile({ texts: [proof.key] }, 'store') : PeerKeys.ofStore(proof.secret, 'store');
}

/** Returns the object with which the backend `self` signs and verifies requests of members. */
export function signaturesOf(self: string, proof: Proof = { key: PEER_KEY }, now = Date.now): PeerSignatures {
  return new PeerSignatures({ keys: keysOf(proof), self, now });
}

/** Returns the headers of a forwarded request. It is signed as a random member, and `headers` may claim any caller. */
export function signedHeaders(
  request: { readonly method: string; readonly target: string; readonly body?: string },
  {
    receiver = 'the writer',
    proof,
    headers = {},
  }: { readonly receiver?: string; readonly proof?: Proof; readonly headers?: Readonly<Record<string, string>> } = {},
): Record<string, string> {
  const { method, target: path, body } = request;
  const sent = { method, path, headers, ...(body !== undefined && { body: Buffer.from(body) }) };
  return { ...headers, ...signaturesOf(`member-${randomUUID()}`, proof).headerOf(sent, receiver) };
}

/**
 * Starts a backend whose role the test sets; it is stopped when the test finishes. Each backend has its own store,
 * which shows where a change was made.
 */
export async function startMember(
  isWriter: boolean,
  { id = isWriter ? 'the writer' : randomUUID(), proof, ...options }: MemberOptions = {},
): Promise<Member> {
  const signatures = signaturesOf(id, proof);
  const leadership = new ScriptedLeadership(isWriter);
  let forwarding: Forwarding | undefined;
  const backend = await startBackend({
    ...options,
    openForwarding: (parts) => (forwarding = new Forwarding({ ...parts, leadership, signatures })),
  });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  if (forwarding === undefined) throw new Error('the backend does not forward');
  return Object.assign(backend, { id, leadership, forwarding });
}

/** Returns the address of a backend for other members, without TLS. */
export function placeOf({ url }: Pick<RunningBackend, 'url'>, id = 'the writer'): PeerAddress {
  return { id, url, fingerprint: undefined };
}

/** Starts a leader, and a follower that forwards to the leader. */
export async function startPair(
  options?: Parameters<typeof startMember>[1],
): Promise<{ readonly writer: Member; readonly member: Member }> {
  const [writer, member] = await Promise.all([startMember(true, options), startMember(false, options)]);
  member.leadership.follow(placeOf(writer));
  return { writer, member };
}
