import { hash, timingSafeEqual } from 'node:crypto';
import { newSecret } from './key-secret.ts';

/** The token that makes the programs on this machine administrators: `ml_<secret>`, a new one at each start. */
export class LocalToken {
  readonly #digest: Buffer;

  private constructor(digest: Buffer) {
    this.#digest = digest;
  }

  static make(): { readonly token: LocalToken; readonly text: string } {
    const text = `ml_${newSecret()}`;
    return { token: new LocalToken(digestOf(text)), text };
  }

  /** Compares in constant time. */
  is(text: string): boolean {
    return timingSafeEqual(digestOf(text), this.#digest);
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
