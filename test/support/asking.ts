import { administratorOf } from './administrator.ts';
import { send, type Answer } from './raw-http.ts';

/** Asks a backend with the same credentials each time, as a client of the newer API does: JSON throughout. `more`: headers. */
export type Ask = (
  method: string,
  target: string,
  body?: unknown,
  more?: Readonly<Record<string, string>>,
) => Promise<Answer>;

/** @param authorization the header; null: none; default: of an administrator, where the backend takes everybody */
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
