import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const UUID_BYTES = 16;
const UUID_DIGITS = 2 * UUID_BYTES;
/** Ids for which chance is asked for at once. */
const IDS_TOGETHER = 1024;

/** What requests are called by. */
export class RequestIds {
  #digits = '';
  #at = 0;

  /** The caller's own, when it is short and printable, so that it can be found again in logs on both sides. */
  of({ headers }: Pick<IncomingMessage, 'headers'>): string {
    const given = headers['x-request-id'];
    return typeof given === 'string' && /^[ -~]{1,128}$/.test(given) ? given : this.#uuid();
  }

  /** Of version 4 (RFC 9562). `randomUUID` puts each together of bytes, which at thousands of requests a second is felt. */
  #uuid(): string {
    if (this.#at === this.#digits.length) {
      this.#digits = randomBytes(IDS_TOGETHER * UUID_BYTES).toString('hex');
      this.#at = 0;
    }
    const digits = this.#digits.slice(this.#at, this.#at + UUID_DIGITS);
    this.#at += UUID_DIGITS;
    // A digit each for the version and the variant.
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
  }
}
