import { apiKeyIdSchema } from '../../../shared/schemas/v2/api-key.ts';

const KEY_PATH = /(?<=\/apikeys\/)[^/]+/;

/**
 * Returns the path of a request for the log, without its query. In the path of an API key, the key itself is removed.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const decoded = decodedPath(path);
  const [key] = KEY_PATH.exec(decoded) ?? [];
  if (key === undefined || apiKeyIdSchema.safeParse(key).success) return path;
  return decoded.replace(KEY_PATH, '...');
}

/** Returns the path decoded once, or unchanged if it cannot be decoded. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
