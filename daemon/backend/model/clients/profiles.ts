import { profileOf, type ClientProfile } from '../../../../shared/domain/client-profile.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import { PROFILE_BYTES, PROFILE_SUBSCRIPTION_BYTES, type Footprint } from '../registry/footprint.ts';

/** A client profile with the number of clients that share it. */
export interface SharedProfile extends ClientProfile {
  readonly key: string;
  /** Estimated memory of the profile, in bytes. */
  readonly bytes: number;
  clients: number;
}

/** Stores each distinct client profile once, because even a large fleet has only a few distinct profiles. */
export class ClientProfiles {
  readonly #byKey = new Map<string, SharedProfile>();
  readonly #footprint: Footprint;

  constructor(footprint: Footprint) {
    this.#footprint = footprint;
  }

  /** Returns the shared profile of a client, and increments the number of clients that share it. */
  acquire(client: Client): SharedProfile {
    const profile = profileOf(client);
    const key = JSON.stringify(profile);
    let shared = this.#byKey.get(key);
    if (shared === undefined) {
      this.#byKey.set(key, (shared = { ...profile, key, bytes: bytesOf(profile, key), clients: 0 }));
      this.#footprint.bytes += shared.bytes;
    }
    shared.clients++;
    return shared;
  }

  /** Returns how many bytes of memory the profile of a client would add: 0 if another client has the same profile. */
  bytesOf(client: Client): number {
    const profile = profileOf(client);
    const key = JSON.stringify(profile);
    return this.#byKey.has(key) ? 0 : bytesOf(profile, key);
  }

  /** Decrements the number of clients that share a profile, and removes the profile when that number is 0. */
  release(shared: SharedProfile): void {
    shared.clients--;
    if (shared.clients > 0) return;
    this.#byKey.delete(shared.key);
    this.#footprint.bytes -= shared.bytes;
  }
}

/** Estimates the bytes of memory of a profile. Its texts count twice, because the key contains them too. */
function bytesOf({ subscriptions }: ClientProfile, key: string): number {
  return PROFILE_BYTES + PROFILE_SUBSCRIPTION_BYTES * subscriptions.length + 2 * key.length;
}
