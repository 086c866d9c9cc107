import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

const WINDOW_MS = 60_000;
/** Maximum number of rejected results that are logged individually per minute: for one client, and in total. */
const LOGGED_PER_CLIENT = 20;
const LOGGED_IN_TOTAL = 500;
/** Maximum number of clients that are named in the summary of rejected results. */
const NAMED_CLIENTS_MAX = 10;

/** Log fields that identify a rejected result, and the connection on which it arrived. */
interface RejectedResult {
  readonly namespace: string;
  readonly client: string;
  readonly [field: string]: unknown;
}

/**
 * Logs rejected results. A broken or hostile agent may send thousands per second, which would fill the disk with log
 * records. So rejected results above a limit per minute are only counted.
 */
export class RejectedResults implements Disposable {
  readonly #log: Log;
  readonly #window: Disposable;
  readonly #loggedOf = new Map<string, number>();
  #logged = 0;
  #omitted = 0;
  readonly #omittedClients = new Set<string>();

  constructor({ clock, log }: { readonly clock: Pick<Clock, 'every'>; readonly log: Log }) {
    this.#log = log;
    this.#window = clock.every(WINDOW_MS, () => this.#close());
  }

  /** @param check attributes of the result, which are not validated and may have any type */
  log(result: RejectedResult, reason: string, check?: unknown): void {
    const client = `${result.namespace}/${result.client}`;
    const loggedOfClient = this.#loggedOf.get(client) ?? 0;
    if (loggedOfClient >= LOGGED_PER_CLIENT || this.#logged >= LOGGED_IN_TOTAL) {
      this.#omitted++;
      if (this.#omittedClients.size < NAMED_CLIENTS_MAX) this.#omittedClients.add(client);
      return;
    }
    this.#loggedOf.set(client, loggedOfClient + 1);
    this.#logged++;
    this.#log.error({ ...result, ...checkNamesOf(check), reason }, 'check result rejected');
  }

  [Symbol.dispose](): void {
    this.#window[Symbol.dispose]();
    this.#close();
  }

  #close(): void {
    if (this.#omitted > 0) {
      this.#log.error(
        { rejected: this.#omitted, first_clients: [...this.#omittedClients] },
        'further rejected check results were not logged individually',
      );
    }
    this.#loggedOf.clear();
    this.#omittedClients.clear();
    this.#logged = 0;
    this.#omitted = 0;
  }
}

/** Returns log fields with the names of the check and its source, as far as the result contains them. */
function checkNamesOf(check: unknown): { readonly check?: string; readonly source?: string } {
  const { name, source } = (typeof check === 'object' && check !== null ? check : {}) as Readonly<
    Record<string, unknown>
  >;
  return { ...(typeof name === 'string' && { check: name }), ...(typeof source === 'string' && { source }) };
}
