import pg from 'pg';
import type { PostgresServer } from '../../scripts/lib/postgres-server.ts';

/**
 * A PostgreSQL trigger that records each change of the lease's epoch and each write, with the `application_name` of the
 * writing connection.
 */
const TRIGGER = `
create table public.write_log (id bigint generated always as identity, seq bigint, epoch bigint, member text);
create function public.log_write() returns trigger language plpgsql as $$
begin
  insert into public.write_log (seq, epoch, member) values (new.seq, new.epoch, current_setting('application_name'));
  return null;
end $$;
create trigger log_write after update on mon.lease for each row
  when (new.seq <> old.seq or new.epoch <> old.epoch) execute function public.log_write()`;

const PAGE = `
select id::int8, seq::int8, epoch::int8, member from public.write_log where id > $1 order by id`;

interface Entry {
  readonly id: string;
  readonly seq: string;
  readonly epoch: string;
  readonly member: string;
}

/** Reads from the database which member made each write, and in which epoch of the lease. */
export class WriteLog {
  readonly #url: string;
  #lastId = '0';
  #last: { readonly seq: number; readonly epoch: number } | undefined;
  /** The member that held the lease, by epoch. Each epoch belongs to one connection of one member. */
  readonly #holders = new Map<number, string>();

  private constructor(url: string) {
    this.#url = url;
  }

  /**
   * Installs the trigger.
   *
   * @param url URL of a database that a backend has initialized
   */
  static async open(server: PostgresServer, url: string): Promise<WriteLog> {
    await server.run(url, TRIGGER);
    return new WriteLog(url);
  }

  /** Returns the database URL for a member, with its name as the `application_name`. */
  static urlOf(url: string, member: string): string {
    return `${url}?application_name=${member}`;
  }

  /**
   * Checks that only the holder of the lease writes until another member takes it, and that the sequence numbers have
   * no gaps.
   *
   * @returns the names of the writers since the last call, in order and without consecutive duplicates, and the
   * violations
   */
  async read(): Promise<{ readonly turns: readonly string[]; readonly faults: readonly unknown[] }> {
    const turns: string[] = [];
    const faults: unknown[] = [];
    for (const { id, member, ...row } of await this.#rows()) {
      const { seq, epoch } = { seq: Number(row.seq), epoch: Number(row.epoch) };
      const last = this.#last ?? { seq: seq - 1, epoch };
      const holder = this.#holders.get(epoch) ?? member;
      const expected = {
        seq: epoch > last.epoch ? last.seq : last.seq + 1,
        epoch: Math.max(last.epoch, epoch),
        holder,
      };
      if (seq !== expected.seq || epoch !== expected.epoch || member !== holder)
        faults.push({ seq, epoch, member, expected });
      this.#holders.set(epoch, holder);
      this.#last = { seq, epoch };
      this.#lastId = id;
      if (turns.at(-1) !== member) turns.push(member);
    }
    return { turns, faults };
  }

  async #rows(): Promise<readonly Entry[]> {
    const client = new pg.Client({ connectionString: this.#url });
    await client.connect();
    try {
      return (await client.query<Entry>(PAGE, [this.#lastId])).rows;
    } finally {
      await client.end();
    }
  }
}
