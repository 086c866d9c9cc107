/** A client as the counts need it. */
interface CountedClient {
  readonly isCounted: boolean;
  readonly profile: { readonly isProxy: boolean };
  /** The client whose results created it. */
  readonly reporter: string | undefined;
}

/** The numbers of clients of a namespace, by the kinds that are limited. */
export class ClientCounts {
  /** Number of clients that the entity limit counts. */
  total = 0;
  /** Number of these clients that are proxy clients. */
  proxies = 0;
  readonly #proxiesByReporter = new Map<string, number>();

  /** Returns the number of existing proxy clients that the results of this client created. */
  proxiesOf(reporter: string): number {
    return this.#proxiesByReporter.get(reporter) ?? 0;
  }

  /** Counts a client that is added (1) or removed (-1), or before and after it changes. */
  count(client: CountedClient, by: 1 | -1): void {
    if (client.reporter !== undefined) this.#countMade(client.reporter, by);
    if (!client.isCounted) return;
    this.total += by;
    if (client.profile.isProxy) this.proxies += by;
  }

  #countMade(reporter: string, by: 1 | -1): void {
    const count = this.proxiesOf(reporter) + by;
    if (count === 0) this.#proxiesByReporter.delete(reporter);
    else this.#proxiesByReporter.set(reporter, count);
  }
}
