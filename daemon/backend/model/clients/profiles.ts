import { profileOf, type ClientProfile } from '../../../../shared/domain/client-profile.ts';
import type { Client } from '../../../../shared/schemas/client.ts';
import { PROFILE_BYTES, PROFILE_SUBSCRIPTION_BYTES, type Footprint } from '../registry/footprint.ts';

/** A profile with the number of clients that share it. */
export interface SharedProfile extends ClientProfile {
  readonly key: string;
  /** Its memory usage. */
  readonly bytes: number;
  clients: number;
}

/** Deduplicates profiles: a large fleet has few. */
export class ClientProfiles {
  readonly #byKey = new Map<string, SharedProfile>();
  readonly #footprint: Footprint;

  constructor(footprint: Footprint) {
    this.#footprint = footprint;
  }

  /** Returns the profile of a client, and increments its use count. */
  take(client: Client): SharedProfile {
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

  /** Returns the bytes that the profile of a client would add: none if others have it already. */
  bytesOf(client: Client): number {
    const profile = profileOf(client);
    const key = JSON.stringify(profile);
    return this.#byKey.has(key) ? 0 : bytesOf(profile, key);
  }

  /** Decrements the use count. */
  release(shared: SharedProfile): void {
    shared.clients--;
    if (shared.clients > 0) return;
    this.#byKey.delete(shared.key);
    this.#footprint.bytes -= shared.bytes;
  }
}

/** Counts the texts twice: they are in the key and by themselves. */
function bytesOf({ subscriptions }: ClientProfile, key: string): number {
  return PROFILE_BYTES + PROFILE_SUBSCRIPTION_BYTES * subscriptions.length + 2 * key.length;
}
