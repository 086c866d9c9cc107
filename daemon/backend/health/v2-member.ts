import { createHash } from 'node:crypto';

/** Names the only member of the cluster that clients take a backend for, the same for the same store. */
export function memberOf(storeId: string): { readonly id: number; readonly hex: string } {
  const hex = createHash('sha256').update(storeId).digest('hex').slice(0, 12);
  return { id: Number.parseInt(hex, 16), hex };
}
