/** The outcome of a request. */
export type Outcome =
  | { readonly kind: 'answered'; readonly status: number; readonly body: unknown }
  /** The request was not executed, and will not be. */
  | { readonly kind: 'refused' }
  /** The request was not executed and will not be, because no backend was reached. */
  | { readonly kind: 'unreached' }
  /** It is unknown whether the request was or will be executed. */
  | { readonly kind: 'unknown' };

/** Texts of responses that say that the request was executed or may have been. */
const PERHAPS_DONE = /before you (?:re)?try|the change was made/;

export async function outcomeOf(
  url: string,
  { method, path, body }: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<Outcome> {
  try {
    const answer = await fetch(url + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const text = await answer.text();
    // An internal failure is 500 on the routes of events (reference 7), and 503 on all others.
    const isOfEvents = path.startsWith('/events') || path === '/resolve';
    const isRefused = answer.status === 503 || (answer.status === 500 && isOfEvents);
    if (isRefused) return { kind: PERHAPS_DONE.test(text) ? 'unknown' : 'refused' };
    return { kind: 'answered', status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
    return { kind: code === 'ECONNREFUSED' ? 'unreached' : 'unknown' };
  }
}
