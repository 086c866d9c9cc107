import { onTestFinished } from 'vitest';
import { MonError } from '../../shared/errors.ts';
import { randomUUID } from 'node:crypto';
import { Forwarding } from '../../daemon/backend/cluster/forwarding/forwarding.ts';
import type { Leadership, PeerAddress } from '../../daemon/backend/cluster/forwarding/leadership.ts';
import { PeerKeys } from '../../daemon/backend/cluster/forwarding/proof/peer-keys.ts';
import { PeerSignatures } from '../../daemon/backend/cluster/forwarding/proof/peer-signatures.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';

/** Time to wait for a leader. */
const WAIT_MS = 1000;

/** A leadership that the test controls. */
export class ToldLeadership implements Leadership {
  isWriter: boolean;
  isSucceeded = false;
  seq = 7;
  /** Sequence numbers that were waited for. */
  readonly waited: number[] = [];
  /** Waits for a sequence number. */
  catchUp: (seq: number) => Promise<void> = async () => undefined;
  #place: PeerAddress | undefined;

  constructor(isWriter: boolean) {
    this.isWriter = isWriter;
  }

  /**
   * Sets the leader.
   *
   * @param place undefined: there is no leader
   */
  follow(place: PeerAddress | undefined): void {
    this.isWriter = false;
    this.#place = place;
  }

  async writer(): Promise<'self' | PeerAddress> {
    const endMs = performance.now() + WAIT_MS;
    for (;;) {
      if (this.isWriter) return 'self';
      if (this.#place !== undefined) return this.#place;
      if (performance.now() > endMs) throw new MonError('unavailable', 'no backend writes');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Why this backend must not serve reads; `undefined` if it may. */
  stale: MonError | undefined;

  refuseStale(): void {
    if (this.stale !== undefined) throw this.stale;
  }

  caughtUp(seq: number): Promise<void> {
    this.waited.push(seq);
    return this.catchUp(seq);
  }
}

export interface Member extends RunningBackend {
  readonly id: string;
  readonly leadership: ToldLeadership;
  readonly forwarding: Forwarding;
}

/** The common key of a test's backends. */
export const PEER_KEY = 'k'.repeat(43);
/** The common secret in the database. */
export const SECRET = 'the secret of all';

/** How a backend proves its membership: by a key file, or by the secret of the database. */
type Proof = { readonly key: string } | { readonly secret: string };

interface MemberOptions extends NonNullable<Parameters<typeof startBackend>[0]> {
  /** The member id; default: `the writer` for a leader, else a random one. */
  readonly id?: string;
  /** The proof of membership; default: the key `PEER_KEY`. */
  readonly proof?: Proof;
}

function keysOf(proof: Proof): PeerKeys {
  return 'key' in proof ? PeerKeys.ofFile({ texts: [proof.key] }, 'store') : PeerKeys.ofStore(proof.secret, 'store');
}

/** Returns the signatures of a backend. */
export function signaturesOf(self: string, proof: Proof = { key: PEER_KEY }, now = Date.now): PeerSignatures {
  return new PeerSignatures({ keys: keysOf(proof), self, now });
}

/** Returns the headers of a forwarded request, for any claimed caller. */
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
 * Starts a backend whose role the test sets, until the end of the test. Each has its own store, so that it is
 * visible where a change was made.
 */
export async function startMember(
  isWriter: boolean,
  { id = isWriter ? 'the writer' : randomUUID(), proof, ...options }: MemberOptions = {},
): Promise<Member> {
  const signatures = signaturesOf(id, proof);
  const leadership = new ToldLeadership(isWriter);
  let forwarding: Forwarding | undefined;
  const backend = await startBackend({
    ...options,
    openForwarding: (parts) => (forwarding = new Forwarding({ ...parts, leadership, signatures })),
  });
  onTestFinished(() => backend[Symbol.asyncDispose]());
  if (forwarding === undefined) throw new Error('the backend does not forward');
  return Object.assign(backend, { id, leadership, forwarding });
}

/** Returns the address of a backend without TLS. */
export function placeOf({ url }: Pick<RunningBackend, 'url'>, id = 'the writer'): PeerAddress {
  return { id, url, fingerprint: undefined };
}

/** Starts a leader, and a follower that forwards to it. */
export async function startPair(
  options?: Parameters<typeof startMember>[1],
): Promise<{ readonly writer: Member; readonly member: Member }> {
  const [writer, member] = await Promise.all([startMember(true, options), startMember(false, options)]);
  member.leadership.follow(placeOf(writer));
  return { writer, member };
}
