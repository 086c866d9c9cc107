import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { StoredMember } from '../../../store/shared-store.ts';
import { PEER_HEADERS } from '../peer-headers.ts';
import { isStoreKeyId, type PeerKeys } from './peer-keys.ts';
import { SeenRequests } from './seen-requests.ts';

/** Maximum difference between the signed time of a request and the current time, by the clock of the database. */
const TIME_MS_MAX = 60_000;

/** Headers that are not signed: headers of the connection or body, and the signature itself. */
const UNSIGNED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'transfer-encoding',
  PEER_HEADERS.signature,
]);

/** Format of a signature: version, key id, sender, request number, epoch milliseconds, body digest, MAC. */
const SIGNATURE_FORMAT =
  /^2\.(?<key>\w{1,64})\.(?<sender>[\w-]{1,64})\.(?<number>\d{1,15})\.(?<time>\d{1,15})\.(?<digest>[\w-]{43})\.(?<mac>[\w-]{43})$/;

/** The parts of a request to another member that are signed. */
interface SentRequest {
  readonly method: string;
  /** The path and query of the URL. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Buffer | undefined;
}

interface ReceivedHead {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
}

/** The result of verifying the signature of a received request. */
export type Proof =
  | {
      readonly kind: 'signed';
      /** The id of the member that signed the request. */
      readonly sender: string;
      /** The signed SHA-256 of the body, in base64url; compare it with the body once the body is read. */
      readonly bodyDigest: string;
    }
  | { readonly kind: 'refused'; readonly reason: 'unsigned' | 'key' | 'signature' | 'time' | 'replayed' };

interface SignatureDependencies {
  readonly keys: PeerKeys;
  /** The member id of this backend. */
  readonly self: string;
  /** Returns the time of the clock that all members share, in epoch milliseconds. */
  readonly now: () => number;
}

type MemberRow = Pick<StoredMember, 'id' | 'url' | 'fingerprint' | 'proof'>;

/**
 * Signs requests to other members, and verifies the signatures of their requests. Method, path, headers, body digest,
 * time, request number, sender and receiver are signed, so a signature is valid once, for one request.
 */
export class PeerSignatures {
  readonly #dependencies: SignatureDependencies;
  readonly #seen = new SeenRequests(2 * TIME_MS_MAX);
  #number = 0;

  constructor(dependencies: SignatureDependencies) {
    this.#dependencies = dependencies;
  }

  /** True if the keys are from a file, so that access to the database is not enough to sign a request. */
  get isStrong(): boolean {
    return this.#dependencies.keys.isFromFile;
  }

  /** Returns the header with the signature of a request. @param receiver the id of the member that gets the request */
  headerOf({ body, ...request }: SentRequest, receiver: string): Readonly<Record<string, string>> {
    const { keys, self, now } = this.#dependencies;
    const claims = `2.${keys.id}.${self}.${String(++this.#number)}.${String(now())}.${requestBodyDigest(body ?? '')}`;
    const mac = keys.sign(requestText(claims, receiver, request));
    return { [PEER_HEADERS.signature]: `${claims}.${mac}` };
  }

  /**
   * Verifies the signature of a request before its body is read. Compare `bodyDigest` with the digest of the body
   * afterwards.
   */
  proofOf({ method = '', url: path = '', headers }: ReceivedHead): Proof {
    const { keys, self, now } = this.#dependencies;
    const text = headers[PEER_HEADERS.signature];
    const { key, sender, number, time, digest, mac } = SIGNATURE_FORMAT.exec(String(text))?.groups ?? {};
    if (key === undefined || sender === undefined || digest === undefined || mac === undefined) {
      return { kind: 'refused', reason: 'unsigned' };
    }
    if (!keys.has(key)) return { kind: 'refused', reason: 'key' };
    const claims = String(text).slice(0, -(mac.length + 1));
    if (!keys.isSignedBy(key, requestText(claims, self, { method, path, headers }), mac)) {
      return { kind: 'refused', reason: 'signature' };
    }
    const nowMs = now();
    if (Math.abs(nowMs - Number(time)) > TIME_MS_MAX) return { kind: 'refused', reason: 'time' };
    if (!this.#seen.recordNumber(sender, Number(number), nowMs)) return { kind: 'refused', reason: 'replayed' };
    return { kind: 'signed', sender, bodyDigest: digest };
  }

  /** Returns the signature that this backend writes into its own row of the database table of members. */
  rowProofOf(row: Omit<MemberRow, 'proof'>): string {
    const { keys } = this.#dependencies;
    return `${keys.id}.${keys.sign(rowText(row))}`;
  }

  /**
   * Returns a text for operators that says why another member is not trusted. Returns undefined if the signature in its
   * row proves that it has the same key. Everyone who can write to the database can create a row, so requests are sent
   * only to trusted members.
   */
  problemOf(row: MemberRow): string | undefined {
    const { keys } = this.#dependencies;
    const [id = '', mac = ''] = row.proof?.split('.') ?? [];
    if (id === '') return 'does not prove that it shares this store: it runs an earlier version, or is not a member';
    if (keys.isSignedBy(id, rowText(row), mac)) return undefined;
    if (keys.has(id)) return 'does not match its row in the database: another program has written that row';
    if (isStoreKeyId(id)) return 'has no peer-key-file, which this backend has: give all backends the same one';
    return keys.isFromFile
      ? 'has another key in peer-key-file than this backend: give all backends the same file'
      : 'has a peer-key-file, which this backend does not have: give all backends the same one';
  }
}

export function requestBodyDigest(body: Buffer | string): string {
  return hash('sha256', body, 'base64url');
}

function requestText(
  claims: string,
  receiver: string,
  { method, path, headers }: Pick<SentRequest, 'method' | 'path' | 'headers'>,
): string {
  const signed = Object.entries(headers)
    .filter(([name, value]) => value !== undefined && !UNSIGNED_HEADERS.has(name))
    .map(([name, value]) => [name, String(value)] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(['request', claims, receiver, method, path, signed]);
}

function rowText({ id, url, fingerprint }: Omit<MemberRow, 'proof'>): string {
  return JSON.stringify(['member', id, url, fingerprint ?? null]);
}
