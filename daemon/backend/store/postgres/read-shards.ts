import type { Client } from 'pg';
import { Retention, type RetentionLimits } from '../retention.ts';
import { emptyShard, type Shard } from '../shard.ts';
import { SELECT_LEASES, NEWEST_CHANGES } from './statements.ts';

/** Reads the epoch and the retained change records of each shard in the database. This process holds no lease yet. */
export async function readShards(client: Client, limits: RetentionLimits): Promise<Map<string, Shard>> {
  const { rows } = await client.query<{ shard: string; epoch: string; seq: string }>(SELECT_LEASES);
  const shards = new Map<string, Shard>();
  for (const { shard, epoch, seq } of rows) {
    const retention = await readRetention(client, shard, Number(seq), limits);
    shards.set(shard, { ...emptyShard(shard, limits), epoch: Number(epoch), retention });
  }
  return shards;
}

/**
 * Finds out which change records of a shard are retained: the newest ones without a gap, within the limits.
 *
 * @param last the sequence number of the last write to the shard
 */
export async function readRetention(
  client: Client,
  shard: string,
  last: number,
  limits: RetentionLimits,
): Promise<Retention> {
  const retention = new Retention(limits, last);
  const { rows } = await client.query<{ seq: string; count: number }>(NEWEST_CHANGES, [shard, limits.records]);
  for (const { seq, count } of rows) {
    if (Number(seq) !== retention.first - 1 || !retention.prepend(count)) break;
  }
  return retention;
}
