import { hash, timingSafeEqual } from 'node:crypto';
import { newSecret } from './key-secret.ts';

/**
 * The token with which programs on this machine act as administrators: `ml_<secret>`. Each start of the backend creates
 * a new token.
 */
export class LocalToken {
  readonly #digest: Buffer;

  private constructor(digest: Buffer) {
    this.#digest = digest;
  }

  static make(): { readonly token: LocalToken; readonly text: string } {
    const text = `ml_${newSecret()}`;
    return { token: new LocalToken(digestOf(text)), text };
  }

  /** True if the text is this token. The comparison takes constant time. */
  matches(text: string): boolean {
    return timingSafeEqual(digestOf(text), this.#digest);
  }
}

function digestOf(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
