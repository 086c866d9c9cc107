import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { readTlsFile } from '../../../../../shared/tls/read-file.ts';
import { readersOfSecretFile } from '../../../../../shared/tls/secret-file.ts';

const KEY_BYTES = 32;
const ID_BYTES = 6;

/** Format of a key: 32 random bytes as base64 or hexadecimal; a longer one is allowed. */
const KEY_TEXT = /^[\w+/=-]{43,1024}$/;
/** Maximum number of keys; a file holds two keys while one replaces the other. */
const KEYS_MAX = 4;

/** The id of the key that is derived from the secret of the store. */
const STORE_KEY_ID = 'store';

interface PeerKey {
  /** Identifies the key without revealing anything about it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The keys of a peer key file, as they are written there. */
export interface PeerKeyFile {
  /** The keys, at least one; the first one signs. */
  readonly texts: readonly string[];
  /** A problem of the file that does not prevent its use, for operators. */
  readonly warning: string | undefined;
}

/**
 * Reads the setting `peer-key-file`.
 *
 * @throws MonError `invalid` if the file cannot be used, with the remedy
 */
export function readPeerKeyFile(file: string): PeerKeyFile {
  return readTlsFile(file, 'peer-key-file', (content, stats) => {
    const warning = readersOfSecretFile(stats);
    const texts = content
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
    if (texts.length === 0 || texts.length > KEYS_MAX || !texts.every((text) => KEY_TEXT.test(text))) {
      throw new Error(
        `the file must contain one key per line, at most ${String(KEYS_MAX)}: create a key with "openssl rand -base64 32" and use the same file for all backends`,
      );
    }
    return { texts, warning: warning && `${file} ${warning}` };
  });
}

/**
 * The keys by which the backends that share a store recognize each other. All of them have the same ones, so a
 * symmetric signature proves as much as an asymmetric one would (security, Members of a cluster).
 */
export class PeerKeys {
  /** True if the keys are from a file that is not in the store: a reader of the database does not have them. */
  readonly isFromFile: boolean;
  readonly #keys: readonly PeerKey[];

  private constructor(isFromFile: boolean, keys: readonly PeerKey[]) {
    this.isFromFile = isFromFile;
    this.#keys = keys;
  }

  /** @param storeId derives different keys for each cluster, so that one file may serve several */
  static ofFile({ texts }: Pick<PeerKeyFile, 'texts'>, storeId: string): PeerKeys {
    return new PeerKeys(
      true,
      texts.map((text) => ({
        id: derive(text, storeId, 'mon peer key id', ID_BYTES).toString('hex'),
        bytes: derive(text, storeId, 'mon peer key', KEY_BYTES),
      })),
    );
  }

  /**
   * Derives the key of the weaker proof, which any reader of the database has too.
   *
   * @param secret empty: there is no key, so that no other backend is a member
   */
  static ofStore(secret: string, storeId: string): PeerKeys {
    const bytes = derive(secret, storeId, 'mon peer key', KEY_BYTES);
    return new PeerKeys(false, secret === '' ? [] : [{ id: STORE_KEY_ID, bytes }]);
  }

  /** The id of the key that signs. */
  get id(): string {
    return this.#keys[0]?.id ?? 'none';
  }

  has(id: string): boolean {
    return this.#keys.some((key) => key.id === id);
  }

  /** @returns the signature as text without dots */
  sign(text: string): string {
    const [key] = this.#keys;
    return key === undefined ? 'none' : macOf(key, text).toString('base64url');
  }

  /** Verifies a signature in constant time. */
  isSignedBy(id: string, text: string, signature: string): boolean {
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined) return false;
    const own = macOf(key, text);
    const shown = Buffer.from(signature, 'base64url');
    return shown.length === own.length && timingSafeEqual(shown, own);
  }
}

/** True if the id names the key of a store, and not one of a file. */
export function isStoreKeyId(id: string): boolean {
  return id === STORE_KEY_ID;
}

function derive(text: string, storeId: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', text, storeId, purpose, bytes));
}

function macOf({ bytes }: PeerKey, text: string): Buffer {
  return createHmac('sha256', bytes).update(text).digest();
}
