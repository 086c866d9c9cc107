import { readFileSync } from 'node:fs';

const PNG_SIGNATURE = Buffer.from('89504e470d0a1a0a', 'hex');

/**
 * Returns the width and the height of a PNG picture in pixels.
 *
 * @throws Error if the file is no PNG picture
 */
export function pictureSize(file: string): { readonly width: number; readonly height: number } {
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) throw new Error(`${file} is no PNG picture`);
  // The first chunk of the file begins with the width and the height.
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}
