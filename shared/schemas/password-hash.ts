/** A password hash in a configuration: `scrypt$N$r$p$salt$hash` (security S2). Salt and hash are in base64url. */
export interface PasswordHash {
  /** Cost parameter of scrypt, a power of two. `r` and `p` are its block size and parallelization. */
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: string;
  readonly hash: string;
}

const PASSWORD_HASH =
  /^scrypt\$(?<N>\d{1,7})\$(?<r>\d{1,2})\$(?<p>\d{1,2})\$(?<salt>[\w-]{16,128})\$(?<hash>[\w-]{22,128})$/;

/** Maximum memory that the verification of a configured hash may use, in bytes. */
const MEMORY_BYTES_MAX = 256 * 1024 * 1024;
const P_MAX = 16;

/** Returns the memory that the verification of a password needs, in bytes. */
export function hashMemoryBytes({ N, r, p }: Pick<PasswordHash, 'N' | 'r' | 'p'>): number {
  return 128 * r * (N + p);
}

/** True if a configured text is a hash rather than a password. The hash may still be invalid. */
export function isPasswordHash(text: string): boolean {
  return text.startsWith('scrypt$');
}

/**
 * Parses a password hash.
 *
 * @returns undefined if the format is invalid, or the verification would need too much memory or time
 */
export function parsePasswordHash(text: string): PasswordHash | undefined {
  const groups = PASSWORD_HASH.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const { salt = '', hash = '' } = groups;
  const [N, r, p] = [Number(groups['N']), Number(groups['r']), Number(groups['p'])];
  const isUsable = N >= 2 && Number.isInteger(Math.log2(N)) && r >= 1 && p >= 1 && p <= P_MAX;
  return isUsable && hashMemoryBytes({ N, r, p }) <= MEMORY_BYTES_MAX ? { N, r, p, salt, hash } : undefined;
}

export function formatPasswordHash({ N, r, p, salt, hash }: PasswordHash): string {
  return ['scrypt', N, r, p, salt, hash].join('$');
}
