/** The attributes of a client that `ClientCounts` reads. */
interface CountedClient {
  readonly isCounted: boolean;
  readonly profile: { readonly isProxy: boolean };
  /** Name of the client whose results created this client; undefined if it was not created by a result. */
  readonly reporter: string | undefined;
}

/** Counts the clients of a namespace, for the entity limit and for the quotas of proxy clients. */
export class ClientCounts {
  /** Number of clients that count toward the entity limit. */
  total = 0;
  /** Number of proxy clients among the clients in `total`. */
  proxies = 0;
  readonly #proxiesByReporter = new Map<string, number>();

  /** Returns the number of existing proxy clients that the results of this client created. */
  proxiesOf(reporter: string): number {
    return this.#proxiesByReporter.get(reporter) ?? 0;
  }

  /**
   * Adds a client to the counts (1) or subtracts it (-1). If a client changes, subtract it before and add it after the
   * change.
   */
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
