/** The outcome of an HTTP request to a backend that may be killed. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  /** The backend rejected the request: it was not executed, and will not be. */
  | { readonly kind: 'refused' }
  /** The connection was refused, so the request was not executed. */
  | { readonly kind: 'unreached' }
  /** It is unknown whether the request was or will be executed. */
  | { readonly kind: 'unknown' };

/** Texts of error responses to requests that were or may have been executed. */
const PERHAPS_DONE = /before you (?:re)?try|the change was made/;

export async function outcomeOf(
  url: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<Outcome> {
  try {
    const answer = await fetch(url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    // An internal error has the status 500 on the event routes (reference 7), and 503 on all other routes.
    const isOfEvents = path.startsWith('/events') || path === '/resolve';
    const isRefused = answer.status === 503 || (answer.status === 500 && isOfEvents);
    if (isRefused) return { kind: PERHAPS_DONE.test(text) ? 'unknown' : 'refused' };
    return { kind: 'answered', status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    return { kind: code === 'ECONNREFUSED' ? 'unreached' : 'unknown' };
  }
}
