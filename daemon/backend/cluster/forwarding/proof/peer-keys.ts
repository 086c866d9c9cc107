import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { readTlsFile } from '../../../../../shared/tls/read-file.ts';
import { readersOfSecretFile } from '../../../../../shared/tls/secret-file.ts';

const KEY_BYTES = 32;
const ID_BYTES = 6;

/** Format of a key: at least 43 characters, such as 32 random bytes in base64 or hexadecimal. */
const KEY_FORMAT = /^[\w+/=-]{43,1024}$/;
/** Maximum number of keys in a file; a file contains two keys while a key is being replaced. */
const KEYS_MAX = 4;

/** The id of the key that is derived from the secret of the store. */
const STORE_KEY_ID = 'store';

interface PeerKey {
  /** Identifies the key without revealing anything about it. */
  readonly id: string;
  readonly bytes: Buffer;
}

/** The content of a peer key file. */
export interface PeerKeyFile {
  /** The keys as text, at least one; requests are signed with the first key and verified with any of them. */
  readonly texts: readonly string[];
  /** A problem of the file that does not prevent its use, such as unsafe permissions; undefined if there is none. */
  readonly warning: string | undefined;
}

/**
 * Reads the file that the setting `peer-key-file` names.
 *
 * @throws MonError `invalid` if the file cannot be read or used; the message says what to do
 */
export function readPeerKeyFile(file: string): PeerKeyFile {
  return readTlsFile(file, 'peer-key-file', (content, stats) => {
    const warning = readersOfSecretFile(stats);
    const texts = content
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'));
    if (texts.length === 0 || texts.length > KEYS_MAX || !texts.every((text) => KEY_FORMAT.test(text))) {
      throw new Error(
        `the file must contain one key per line, at most ${String(KEYS_MAX)}: create a key with "openssl rand -base64 32" and use the same file for all backends`,
      );
    }
    return { texts, warning: warning && `${file} ${warning}` };
  });
}

/**
 * The keys with which members of a cluster authenticate each other. All members have the same keys, so a symmetric
 * signature proves as much as an asymmetric signature would (security, Members of a cluster).
 */
export class PeerKeys {
  /** True if the keys are from a file, so that they cannot be read from the database. */
  readonly isFromFile: boolean;
  readonly #keys: readonly PeerKey[];

  private constructor(isFromFile: boolean, keys: readonly PeerKey[]) {
    this.isFromFile = isFromFile;
    this.#keys = keys;
  }

  /** Derives the keys from a file. @param storeId makes the keys of each cluster different, even with the same file */
  static ofFile({ texts }: Pick<PeerKeyFile, 'texts'>, storeId: string): PeerKeys {
    return new PeerKeys(
      true,
      texts.map((text) => ({
        id: deriveKey(text, storeId, 'mon peer key id', ID_BYTES).toString('hex'),
        bytes: deriveKey(text, storeId, 'mon peer key', KEY_BYTES),
      })),
    );
  }

  /**
   * Derives the key from the secret in the store, for a cluster without a peer key file. This proves less, because
   * everyone who can read the database can derive the key.
   *
   * @param secret the secret; if it is empty, there is no key and no other backend is trusted
   */
  static ofStore(secret: string, storeId: string): PeerKeys {
    const bytes = deriveKey(secret, storeId, 'mon peer key', KEY_BYTES);
    return new PeerKeys(false, secret === '' ? [] : [{ id: STORE_KEY_ID, bytes }]);
  }

  /** The id of the key with which this backend signs, or `none` if it has no key. */
  get id(): string {
    return this.#keys[0]?.id ?? 'none';
  }

  has(id: string): boolean {
    return this.#keys.some((key) => key.id === id);
  }

  /** Signs a text. @returns the signature in base64url, which contains no dots, or `none` if there is no key */
  sign(text: string): string {
    const [key] = this.#keys;
    return key === undefined ? 'none' : macOf(key, text).toString('base64url');
  }

  /** True if the key `id` made this signature of the text; the comparison takes constant time. */
  isSignedBy(id: string, text: string, signature: string): boolean {
    const key = this.#keys.find((one) => one.id === id);
    if (key === undefined) return false;
    const own = macOf(key, text);
    const shown = Buffer.from(signature, 'base64url');
    return shown.length === own.length && timingSafeEqual(shown, own);
  }
}

/** True if `id` is the id of the key that is derived from the secret in the store, not of a key from a file. */
export function isStoreKeyId(id: string): boolean {
  return id === STORE_KEY_ID;
}

function deriveKey(text: string, storeId: string, purpose: string, bytes: number): Buffer {
  return Buffer.from(hkdfSync('sha256', text, storeId, purpose, bytes));
}

function macOf({ bytes }: PeerKey, text: string): Buffer {
  return createHmac('sha256', bytes).update(text).digest();
}
