import { shownAddress, subscriptionsOf } from '../../../shared/domain/client-profile.ts';
import type { Attributes } from '../../../shared/domain/attributes.ts';
import { NO_CHECK_STATE, type CheckState } from '../../../shared/domain/event.ts';
import { KEEPALIVE_CHECK } from '../../../shared/domain/keepalive.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import { NO_AGGREGATES, type Aggregate } from '../aggregates/state.ts';
import { byName } from './by-name.ts';
import type { SharedProfile } from '../clients/profiles.ts';
import { CLIENT_BYTES, SUBSCRIBED_BYTES } from './footprint.ts';
import type { Namespace } from './namespace.ts';

/** A client and check: what decides the next event, packed. The bodies stay in the store until they are read. */
export class CheckEntry {
  readonly client: ClientEntry;
  readonly name: string;
  state: CheckState = NO_CHECK_STATE;
  /** Status of the last result; undefined after the result was deleted while its event stays. */
  status: number | undefined = undefined;
  /** When the last result was executed, epoch seconds; without one 0. */
  executed = 0;
  /** `executed` of the last result that was not OK, since the registry was read; 0: there was none. */
  lastProblem = 0;
  /** Seconds after which the last result is stale; 0: never. */
  ttl = 0;
  /** Seconds after which a stale result is told again; 0: nobody watches whether it becomes stale. */
  ttlRepeat = 0;
  /** What the last result belongs to. */
  aggregates: readonly Aggregate[] = NO_AGGREGATES;
  /** How many aggregates of the namespace had been deleted when the last result came; 0 where it names none. */
  deletionsBefore = 0;
  /** Beginning of the output of the open event, for rows. */
  summary = '';

  constructor(client: ClientEntry, name: string) {
    this.client = client;
    this.name = name;
  }
}

/** What a client has before its first result: most proxy clients of a large fleet never get many. */
const NO_CHECKS: ReadonlyMap<string, CheckEntry> = new Map();

/** Said of most clients that results have made. */
const UNKNOWN_ADDRESS = 'unknown';

/** What is known of a client beside its record. */
export interface ClientOrigin {
  readonly signature: string;
  /** Whose results made it, when it is a proxy client. */
  readonly reporter?: string | undefined;
  /** False: the legacy API made it. */
  readonly isCounted?: boolean | undefined;
}

/** A client with its checks: what decides, packed. Its record stays in the store until it is read. */
export class ClientEntry {
  readonly namespace: Namespace;
  readonly name: string;
  profile: SharedProfile;
  /** As it may be shown. */
  address: string;
  /** Epoch seconds of the last sign of life. */
  timestamp: number;
  /** Empty until the client has shown one; then its keepalives and results must carry it (completion 1.10). */
  signature: string;
  /** Whose results made it, when it is a proxy client. */
  readonly reporter: string | undefined;
  /** Whether the limit of entities counts it; the legacy API asks nobody. */
  isCounted: boolean;
  openEvents = 0;
  #checks: Map<string, CheckEntry> | undefined = undefined;
  /** Made when a list asks for it. */
  #sortedChecks: readonly CheckEntry[] | undefined = undefined;

  /** @param profile of `client`, taken for it */
  constructor(
    namespace: Namespace,
    client: Client,
    profile: SharedProfile,
    { signature, reporter, isCounted = true }: ClientOrigin,
  ) {
    this.namespace = namespace;
    this.name = client.name;
    this.profile = profile;
    this.address = packedAddress(client);
    this.timestamp = client.timestamp;
    this.signature = signature;
    this.reporter = reporter;
    this.isCounted = isCounted;
  }

  /** By name. */
  get checks(): ReadonlyMap<string, CheckEntry> {
    return this.#checks ?? NO_CHECKS;
  }

  get subscriptions(): readonly string[] {
    return subscriptionsOf(this.profile, this.name);
  }

  get version(): string {
    return this.profile.version;
  }

  /** The keys that it names itself to be hidden; undefined: the usual ones. */
  get redact(): readonly string[] | undefined {
    return this.profile.redact;
  }

  /** What its keepalive results take over. */
  get keepalive(): Attributes {
    return this.profile.keepalive;
  }

  /** Whether it is known to be silent: its keepalive event is open. */
  get isDown(): boolean {
    return this.openEvents > 0 && this.checks.get(KEEPALIVE_CHECK)?.state.event !== undefined;
  }

  /** When its newest result was executed, epoch seconds; 0: it has none. */
  get lastResult(): number {
    let last = 0;
    for (const { executed } of this.checks.values()) last = Math.max(last, executed);
    return last;
  }

  /** What it takes in memory, without its profile and its checks. */
  get bytes(): number {
    const texts = this.name.length + this.address.length + this.signature.length;
    return CLIENT_BYTES + SUBSCRIBED_BYTES * this.profile.subscriptions.length + texts;
  }

  /** The checks with a result or an event, by name. */
  sortedChecks(): readonly CheckEntry[] {
    this.#sortedChecks ??= [...this.checks.values()].toSorted(byName);
    return this.#sortedChecks;
  }

  /** Takes over what a newer record says. */
  update(client: Client, profile: SharedProfile, { signature, isCounted = false }: ClientOrigin): void {
    this.isCounted ||= isCounted;
    this.profile = profile;
    this.address = packedAddress(client);
    this.timestamp = client.timestamp;
    this.signature = signature;
  }

  addCheck(check: CheckEntry): void {
    this.#sortedChecks = undefined;
    (this.#checks ??= new Map()).set(check.name, check);
  }

  deleteCheck(check: CheckEntry): void {
    this.#sortedChecks = undefined;
    this.#checks?.delete(check.name);
  }
}

/** The open events of a client, by check. */
export function* eventsOf(client: ClientEntry): Generator<CheckEntry, void, undefined> {
  if (client.openEvents === 0) return;
  for (const check of client.sortedChecks()) if (check.state.event !== undefined) yield check;
}

function packedAddress(client: Client): string {
  const address = shownAddress(client);
  return address === UNKNOWN_ADDRESS ? UNKNOWN_ADDRESS : address;
}
