import type { Log } from '../../log/log.ts';
import type { Clock } from '../ports.ts';

const WINDOW_MS = 60_000;
/** Refused results of one client, and of all, that are told one by one in a minute. */
const TOLD_OF_CLIENT = 20;
const TOLD_OF_ALL = 500;
/** Clients that are named among the others. */
const NAMED_MAX = 10;

/** Which result it was, as its connection knows it. */
interface RefusedResult {
  readonly namespace: string;
  readonly client: string;
  readonly [field: string]: unknown;
}

/**
 * Tells the log of results that were refused. An agent that is broken, or hostile, sends thousands a second: beyond some a
 * minute they are only counted, or they would fill the disk.
 */
export class RefusedResults implements Disposable {
  readonly #log: Log;
  readonly #window: Disposable;
  readonly #toldOf = new Map<string, number>();
  #told = 0;
  #untold = 0;
  readonly #untoldClients = new Set<string>();

  constructor({ clock, log }: { readonly clock: Pick<Clock, 'every'>; readonly log: Log }) {
    this.#log = log;
    this.#window = clock.every(WINDOW_MS, () => this.#close());
  }

  /** @param check of the result, which may be anything */
  tell(about: RefusedResult, reason: string, check?: unknown): void {
    const client = `${about.namespace}/${about.client}`;
    const toldOf = this.#toldOf.get(client) ?? 0;
    if (toldOf >= TOLD_OF_CLIENT || this.#told >= TOLD_OF_ALL) {
      this.#untold++;
      if (this.#untoldClients.size < NAMED_MAX) this.#untoldClients.add(client);
      return;
    }
    this.#toldOf.set(client, toldOf + 1);
    this.#told++;
    this.#log.error({ ...about, ...namesIn(check), reason }, 'invalid check result refused');
  }

  [Symbol.dispose](): void {
    this.#window[Symbol.dispose]();
    this.#close();
  }

  #close(): void {
    if (this.#untold > 0) {
      this.#log.error(
        { refused: this.#untold, first_clients: [...this.#untoldClients] },
        'more invalid check results were rejected than are logged individually',
      );
    }
    this.#toldOf.clear();
    this.#untoldClients.clear();
    this.#told = 0;
    this.#untold = 0;
  }
}

/** By what people know a result, as far as it says so. */
function namesIn(check: unknown): { readonly check?: string; readonly source?: string } {
  const { name, source } = (typeof check === 'object' && check !== null ? check : {}) as Readonly<
    Record<string, unknown>
  >;
  return { ...(typeof name === 'string' && { check: name }), ...(typeof source === 'string' && { source }) };
}
