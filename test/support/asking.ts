import { administratorOf } from './administrator.ts';
import { send, type Answer } from './raw-http.ts';

/** Sends a JSON request with fixed credentials to a backend. The parameter `more` contains additional headers. */
export type Ask = (
  method: string,
  target: string,
  body?: unknown,
  more?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Returns a function that sends requests to a backend.
 *
 * @param authorization value of the Authorization header; `null` sends none; default: the local administrator token, if
 * the backend has one
 */
export function asking(url: string, authorization?: string | null): Ask {
  const headers = {
    'Content-Type': 'application/json',
    ...(authorization === undefined ? administratorOf(url) : authorization !== null && { authorization }),
  };
  return (method, target, body, more) =>
    send(url, {
      method,
      target,
      headers: { ...headers, ...more },
      body: body === undefined ? null : JSON.stringify(body),
    });
}

export function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}
