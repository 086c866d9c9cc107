import { resultJson } from './bench-agent.ts';
import { HttpConnection, type BenchServer } from './http-line.ts';

const BATCH_RESULTS = 1000;

/** A set of results: each of `clients` clients has `checks` checks. */
export interface ResultGrid {
  readonly clients: number;
  readonly checks: number;
  readonly result: (client: number, check: number) => { readonly name: string };
}

/** 10,000 failing results, each of which opens an event. */
export const EVENT_GRID: ResultGrid = {
  clients: 1000,
  checks: 10,
  result: (client, check) => ({
    source: `web-${String(client)}`,
    name: `check-${String(check)}`,
    status: 1 + ((client + check) % 2),
  }),
};

/** 100,000 results that are members of one aggregate; three in four have a status other than 0. */
export const MEMBER_GRID: ResultGrid = {
  clients: 1000,
  checks: 100,
  result: (client, check) => ({
    source: `app-${String(client)}`,
    name: `probe-${String(check)}`,
    status: (client + check) % 4,
    aggregate: 'all',
  }),
};

/**
 * Returns the results for the stalls benchmark: members of one aggregate, from 1,000 clients with `checks` checks each.
 * Every tenth result opens an event.
 */
export function resultsUnderAttack(checks: number): ResultGrid {
  return {
    clients: 1000,
    checks,
    result: (client, check) => ({
      source: `web-${String(client)}`,
      name: `check-${String(check)}`,
      status: (client + check) % 10 === 0 ? 2 : 0,
      aggregate: 'all',
      handlers: [],
    }),
  };
}

/** Posts the results to a backend, a thousand in each request. */
export async function postResults(backend: BenchServer, { clients, checks, result }: ResultGrid): Promise<void> {
  const line = new HttpConnection(backend);
  for (let start = 0; start < clients * checks; start += BATCH_RESULTS) {
    const batch = Array.from({ length: Math.min(BATCH_RESULTS, clients * checks - start) }, (_, at) =>
      resultJson(result(Math.floor((start + at) / checks), (start + at) % checks)),
    );
    await line.send('POST', '/api/mon/v1/results', `[${batch.join(',')}]`);
  }
  line.close();
}
