import { resultJson } from './bench-agent.ts';
import { HttpConnection, type BenchServer } from './http-line.ts';

const BATCH = 1000;

/** Results of a number of clients with a number of checks each. */
export interface ResultGrid {
  readonly clients: number;
  readonly checks: number;
  readonly result: (client: number, check: number) => { readonly name: string };
}

/** 10,000 events. */
export const EVENTS: ResultGrid = {
  clients: 1000,
  checks: 10,
  result: (client, check) => ({
    source: `web-${String(client)}`,
    name: `check-${String(check)}`,
    status: 1 + ((client + check) % 2),
  }),
};

/** 100,000 members of one aggregate; three in four fail. */
export const MEMBERS: ResultGrid = {
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
 * Returns members of one aggregate: 1,000 clients with `checks` checks each, of which every tenth is an open
 * event.
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

/** Stores the results, a thousand in each request. */
export async function postResults(backend: BenchServer, { clients, checks, result }: ResultGrid): Promise<void> {
  const line = new HttpConnection(backend);
  for (let start = 0; start < clients * checks; start += BATCH) {
    const batch = Array.from({ length: Math.min(BATCH, clients * checks - start) }, (_, at) =>
      resultJson(result(Math.floor((start + at) / checks), (start + at) % checks)),
    );
    await line.send('POST', '/api/mon/v1/results', `[${batch.join(',')}]`);
  }
  line.close();
}
