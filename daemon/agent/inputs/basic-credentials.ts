import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/**
 * Returns a function that checks whether an HTTP request has the given user and password as Basic credentials. If no
 * user or no password is set, the function rejects all requests. The comparison takes constant time, so that it does
 * not reveal the password.
 */
export function credentialsCheck(
  user: string | undefined,
  password: string | undefined,
): (request: IncomingMessage) => boolean {
  if (user === undefined || password === undefined) return () => false;
  const expected = digest(`${user}:${password}`);
  return ({ headers: { authorization = '' } }) => {
    const [scheme = '', encoded = ''] = authorization.split(' ');
    const actual = digest(Buffer.from(encoded, 'base64').toString('utf8'));
    return scheme.toLowerCase() === 'basic' && timingSafeEqual(actual, expected);
  };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
