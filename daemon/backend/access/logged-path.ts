import { apiKeyIdSchema } from '../../../shared/schemas/v2/api-key.ts';

const KEY_PATH = /(?<=\/apikeys\/)[^/]+/;

/** The path of a request as it may be kept, without its query: that of an API key may show the key itself. */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const decoded = decodedPath(path);
  const [key] = KEY_PATH.exec(decoded) ?? [];
  if (key === undefined || apiKeyIdSchema.safeParse(key).success) return path;
  return decoded.replace(KEY_PATH, '...');
}

/** Decoded once; as it is where that cannot be done. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
