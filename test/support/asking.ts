import { administratorOf } from './administrator.ts';
import { send, type Answer } from './raw-http.ts';

/**
 * Sends requests to a backend with the same credentials, like a v2 API client: always JSON. `more` contains
 * headers.
 */
export type Ask = (
  method: string,
  target: string,
  body?: unknown,
  more?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/**
 * Returns a function that sends requests.
 *
 * @param authorization the header; null: none; default: an administrator's, if the backend accepts everybody
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
