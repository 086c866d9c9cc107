import { onTestFinished } from 'vitest';
import { MonError } from '../../shared/errors.ts';
import { randomUUID } from 'node:crypto';
import { Forwarding } from '../../daemon/backend/cluster/forwarding/forwarding.ts';
import type { Leadership, PeerPlace } from '../../daemon/backend/cluster/forwarding/leadership.ts';
import { PeerKeys } from '../../daemon/backend/cluster/forwarding/proof/peer-keys.ts';
import { PeerSignatures } from '../../daemon/backend/cluster/forwarding/proof/peer-signatures.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';

/** How long one waits for a backend that writes. */
const WAIT_MS = 1000;

/** What a test says of who writes. */
export class ToldLeadership implements Leadership {
  isWriter: boolean;
  isSucceeded = false;
  seq = 7;
  /** Numbers that were waited for. */
  readonly waited: number[] = [];
  /** How the waiting for a number ends. */
  catchUp: (seq: number) => Promise<void> = async () => undefined;
  #place: PeerPlace | undefined;

  constructor(isWriter: boolean) {
    this.isWriter = isWriter;
  }

  /** @param place undefined: nobody writes */
  follow(place: PeerPlace | undefined): void {
    this.isWriter = false;
    this.#place = place;
  }

  async writer(): Promise<'self' | PeerPlace> {
    const endMs = performance.now() + WAIT_MS;
    for (;;) {
      if (this.isWriter) return 'self';
      if (this.#place !== undefined) return this.#place;
      if (performance.now() > endMs) throw new MonError('unavailable', 'no backend writes');
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Why this backend must not be asked; undefined: it may. */
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

/** A key that the backends of a test have in common. */
export const PEER_KEY = 'k'.repeat(43);
/** What a database holds that all of them share. */
export const SECRET = 'the secret of all';

/** How a backend proves that it is one: by the key of a file, or by what is in the database. */
type Proof = { readonly key: string } | { readonly secret: string };

interface MemberOptions extends NonNullable<Parameters<typeof startBackend>[0]> {
  /** Among those that share the store; default: `the writer` of one that writes, else another one each time. */
  readonly id?: string;
  /** Default: by `PEER_KEY`. */
  readonly proof?: Proof;
}

function keysOf(proof: Proof): PeerKeys {
  return 'key' in proof ? PeerKeys.ofFile({ texts: [proof.key] }, 'store') : PeerKeys.ofStore(proof.secret, 'store');
}

/** The signatures of a backend. */
export function signaturesOf(self: string, proof: Proof = { key: PEER_KEY }, now = Date.now): PeerSignatures {
  return new PeerSignatures({ keys: keysOf(proof), self, now });
}

/** Headers with which another backend sends something on, whoever it says that the caller is. */
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

/** A backend that is told whether it writes. Each has a store of its own, so that it can be seen where something was done. It ends with the test. */
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

/** Where a backend without TLS is reached. */
export function placeOf({ url }: Pick<RunningBackend, 'url'>, id = 'the writer'): PeerPlace {
  return { id, url, fingerprint: undefined };
}

/** One that writes, and one that sends on to it. */
export async function startPair(
  options?: Parameters<typeof startMember>[1],
): Promise<{ readonly writer: Member; readonly member: Member }> {
  const [writer, member] = await Promise.all([startMember(true, options), startMember(false, options)]);
  member.leadership.follow(placeOf(writer));
  return { writer, member };
}
