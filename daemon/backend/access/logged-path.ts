import { apiKeyIdSchema } from '../../../shared/schemas/v2/api-key.ts';

const KEY_PATH = /(?<=\/apikeys\/)[^/]+/;
/** Matches the secret part of the URL to which chats send clicks. */
const CALLBACK_PATH = /(?<=\/hooks\/[^/]*\/)[^/]+/;

/**
 * Returns the path of a request for logs and the audit trail, without its query. In a path of API keys, three dots
 * replace a name that is not a key id, because it may be the key itself, and the token of a callback.
 */
export function loggedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const decoded = decodedPath(path);
  if (CALLBACK_PATH.test(decoded)) return decoded.replace(CALLBACK_PATH, '...');
  const [key] = KEY_PATH.exec(decoded) ?? [];
  if (key === undefined || apiKeyIdSchema.safeParse(key).success) return path;
  return decoded.replace(KEY_PATH, '...');
}

/** Returns a path without percent-encoding, or the path unchanged if it cannot be decoded. */
export function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
