/** A client, as it is counted. */
interface CountedClient {
  readonly isCounted: boolean;
  readonly profile: { readonly isProxy: boolean };
  /** Whose results made it. */
  readonly reporter: string | undefined;
}

/** How many clients of a namespace there are of each sort that is limited. */
export class ClientCounts {
  /** Clients that the limit of entities counts. */
  total = 0;
  /** Clients of these that something else reports for. */
  proxies = 0;
  readonly #proxiesByReporter = new Map<string, number>();

  /** How many proxy clients the results of this one have made that are still here. */
  proxiesOf(reporter: string): number {
    return this.#proxiesByReporter.get(reporter) ?? 0;
  }

  /** Counts one that came (1) or goes (-1), or as it is before and after it changes. */
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
