/**
 * Creates the tables of a store in the PostgreSQL schema `mon`. Keys are tuples encoded by `tuple.ts`, as in LevelDB.
 * They are stored as bytes, because the order of bytes does not depend on a locale. Values are bytes too, because the
 * type `text` cannot contain U+0000. The view `mon.readable` shows keys and values as text.
 *
 * The fill factor of the table `mon.entry` leaves space in each page for the next version of a row, so that a new value
 * does not change the index.
 */
export const CREATE_TABLES = `
create schema mon;
create table mon.store (
  single boolean primary key default true check (single),
  id text not null,
  schema integer not null,
  -- The secret by which the backends that share the store authenticate each other.
  secret text not null,
  -- Id of the store whose data is being copied into this store, null when the copy is complete.
  copying text
);
create table mon.entry (key bytea primary key, value bytea not null) with (fillfactor = 70);
alter table mon.entry alter column value set storage main;
-- The lease of each shard: the member that may write, and the number of writes so far.
create table mon.lease (
  shard text primary key,
  epoch bigint not null,
  holder text,
  -- Time when the holder acquired the lease.
  since timestamptz not null default clock_timestamp(),
  -- Time when the lease expires, by the clock of this server. After a release it is the time of the release.
  good_until timestamptz not null,
  -- Id of the member that may acquire the released lease first. Null means any member.
  offered_to text,
  seq bigint not null
);
create table mon.change (
  shard text not null,
  seq bigint not null,
  batch uuid not null,
  count integer not null,
  changes text not null,
  -- The keys that the write put or deleted, for followers.
  keys bytea[] not null,
  primary key (shard, seq)
);
alter table mon.change alter column keys set storage external;
create table mon.member (
  id text primary key,
  name text not null,
  url text not null,
  -- SHA-256 fingerprint of the certificate of the member. Null means plain HTTP.
  fingerprint text,
  version text not null,
  since timestamptz not null default clock_timestamp(),
  last_seen timestamptz not null default clock_timestamp(),
  -- Sequence number of the last write that the member has in memory.
  seq bigint not null
);
create view mon.readable as
  select encode(key, 'escape') as key, convert_from(value, 'UTF8') as value from mon.entry;
`;

/**
 * The tables of a store with the columns that this program uses. The columns that `ADD_MEMBER_COLUMNS` adds are not
 * listed, because stores of earlier versions lack them.
 */
export const TABLE_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  'mon.store': ['id', 'schema', 'secret', 'copying'],
  'mon.entry': ['key', 'value'],
  'mon.lease': ['shard', 'epoch', 'holder', 'since', 'good_until', 'offered_to', 'seq'],
  'mon.change': ['shard', 'seq', 'batch', 'count', 'changes', 'keys'],
  'mon.member': ['id', 'name', 'url', 'fingerprint', 'version', 'since', 'last_seen', 'seq'],
};

/** Selects the tables and columns that are missing, as `TABLE` or `TABLE.COLUMN`: $1 the value of `TABLE_COLUMNS`. */
export const SELECT_MISSING = `
select case when to_regclass(wanted.key) is null then wanted.key else wanted.key || '.' || columns.name end as missing
from json_each($1) as wanted, json_array_elements_text(wanted.value) with ordinality as columns(name, place)
where case
  when to_regclass(wanted.key) is null then place = 1
  else not exists (
    select from pg_attribute
    where attrelid = to_regclass(wanted.key) and attname = columns.name and attnum > 0 and not attisdropped
  )
end`;

/**
 * Adds the columns of `mon.member` that stores of earlier versions lack. Backends of those versions ignore the columns.
 */
export const ADD_MEMBER_COLUMNS = `
alter table mon.member add column if not exists proof text, add column if not exists newest_schema integer`;

/** Selects whether the table `mon.member` has all columns that `ADD_MEMBER_COLUMNS` adds. */
export const HAS_MEMBER_COLUMNS = `
select count(*) = 2 as exists from pg_attribute
where attrelid = 'mon.member'::regclass and attname in ('proof', 'newest_schema') and not attisdropped`;

/**
 * PostgreSQL notification channels: `WRITTEN_CHANNEL` announces new writes to followers, `RELEASED_CHANNEL` announces
 * released leases to waiting members.
 */
export const WRITTEN_CHANNEL = 'mon_written';
export const RELEASED_CHANNEL = 'mon_released';

/**
 * Acquires a lock until the end of the transaction, so that only one member at a time creates the tables in an empty
 * database. The lock number is arbitrary.
 */
export const LOCK_TABLE_CREATION = 'select pg_advisory_xact_lock(5067001)';

const MILLISECONDS = `* interval '1 millisecond'`;

/**
 * Acquires a lease that is free or expired, or that the same holder already has. It returns no row if another member
 * holds the lease.
 *
 * It also returns no row while a write locks the row of the lease: it does not wait for the lock. So a holder retains
 * its lease during a write, even if the write takes longer than the lease is valid.
 *
 * $1 shard, $2 holder, $3 milliseconds until the lease expires.
 */
export const ACQUIRE_LEASE = `
with free as (
  select shard from mon.lease
  where shard = $1 and (holder is null or holder = $2 or good_until <= clock_timestamp())
  for update skip locked
), taken as (
  update mon.lease as held set epoch = epoch + 1, holder = $2, since = clock_timestamp(), offered_to = null,
    good_until = clock_timestamp() + $3 ${MILLISECONDS}
  from free where held.shard = free.shard
  returning epoch, seq
), made as (
  insert into mon.lease (shard, epoch, holder, good_until, seq)
  select $1, 1, $2, clock_timestamp() + $3 ${MILLISECONDS}, 0 where not exists (select from mon.lease where shard = $1)
  on conflict do nothing
  returning epoch, seq
)
select epoch::int8, seq::int8 from taken union all select epoch::int8, seq::int8 from made`;

/**
 * Acquires a lease again for the same holder and increments its epoch, even if the lease has expired. It returns no row
 * if another member has acquired the lease since, or if the lease was released.
 *
 * $1 shard, $2 holder, $3 milliseconds until the lease expires.
 */
export const REACQUIRE_LEASE = `
update mon.lease set epoch = epoch + 1, good_until = clock_timestamp() + $3 ${MILLISECONDS}
where shard = $1 and holder = $2
returning epoch::int8, seq::int8`;

/**
 * Renews a lease, even if it has expired (see `REACQUIRE_LEASE`). It returns no row if another member has acquired the
 * lease.
 *
 * $1 shard, $2 holder, $3 epoch, $4 milliseconds until the lease expires.
 */
export const RENEW_LEASE = `
update mon.lease set good_until = clock_timestamp() + $4 ${MILLISECONDS}
where shard = $1 and holder = $2 and epoch = $3
returning epoch`;

/**
 * Releases a lease and notifies the waiting members. $1 shard, $2 holder, $3 epoch, $4 id of the member that may
 * acquire the lease first (null for any member).
 */
export const RELEASE_LEASE = `
with released as (
  update mon.lease set holder = null, good_until = clock_timestamp(), offered_to = $4
  where shard = $1 and holder = $2 and epoch = $3 returning shard
)
select pg_notify('${RELEASED_CHANNEL}', shard) from released`;

export const SELECT_HOLDER = `
select holder, greatest(0, ceil(extract(epoch from good_until - clock_timestamp())))::int4 as seconds from mon.lease where shard = $1`;

/**
 * Performs a write in one statement. It waits for the lock on the row of the lease and updates the row. If the holder
 * or the epoch has changed, it writes nothing and returns no row. An expired lease is accepted; otherwise one slow
 * write would stop a healthy backend.
 *
 * $1 shard, $2 holder, $3 epoch, $4 milliseconds until the lease expires, $5 keys and $6 values to put, $7 keys to
 * delete, $8 id of the batch, $9 number of changes, $10 the changes, $11 first sequence number whose change record is
 * retained.
 */
export const WRITE_BATCH = `
with held as (
  update mon.lease set seq = seq + 1, good_until = clock_timestamp() + $4 ${MILLISECONDS}
  where shard = $1 and holder = $2 and epoch = $3
  returning seq
), put as (
  insert into mon.entry select given.key, given.value
  from held, unnest($5::bytea[], $6::bytea[]) as given(key, value)
  on conflict (key) do update set value = excluded.value
), gone as (
  delete from mon.entry using held where key = any($7::bytea[])
), old as (
  delete from mon.change using held where mon.change.shard = $1 and mon.change.seq < $11
), told as (
  insert into mon.change (shard, seq, batch, count, changes, keys)
  select $1, seq, $8, $9, $10, $5::bytea[] || $7::bytea[] from held
)
select seq::int8, pg_notify('${WRITTEN_CHANNEL}', $1) from held`;

/**
 * Selects the sequence number of a batch whose response was lost. It returns no row if the batch was not stored. $1
 * shard, $2 id of the batch.
 */
export const FIND_BATCH = `select seq::int8 from mon.change where shard = $1 and batch = $2`;

export const SELECT_LEASES = `select shard, epoch::int8, seq::int8 from mon.lease`;

/**
 * Selects the sequence numbers and change counts of the newest writes to a shard, newest first: $1 shard, $2 maximum
 * number.
 */
export const NEWEST_CHANGES = `select seq::int8, count from mon.change where shard = $1 order by seq desc limit $2`;

/**
 * Selects the changes of writes to a shard in order: $1 shard, $2 first and $3 last sequence number, $4 maximum number.
 */
export const SELECT_RECORDS = `
select seq::int8, changes from mon.change where shard = $1 and seq between $2 and $3 order by seq limit $4`;

export const SELECT_VALUES = `select key, value from mon.entry where key = any($1::bytea[])`;

/**
 * Selects a page of entries in key order: $1 lower bound (`SELECT_PAGE_AFTER` excludes it, `SELECT_PAGE_FROM` includes
 * it), $2 upper bound (excluded), $3 maximum number.
 */
export const SELECT_PAGE_AFTER = `select key, value from mon.entry where key > $1 and key < $2 order by key limit $3`;
export const SELECT_PAGE_FROM = `select key, value from mon.entry where key >= $1 and key < $2 order by key limit $3`;

/**
 * Selects a page of entries in key order, limited by number and size: $1 lower bound (included), $2 upper bound
 * (excluded), $3 maximum number. The page ends with the entry whose value brings the sum of the value sizes to $4
 * bytes.
 */
export const PAGE_OF_BYTES = `
select key, value from (
  select key, value, sum(octet_length(value)) over (order by key) - octet_length(value) as bytes_before
  from (select key, value from mon.entry where key >= $1 and key < $2 order by key limit $3) as page
) as counted
where bytes_before < $4 order by key`;

/**
 * `KEYS_OF_RANGE` selects the first keys of a range, `COUNT_RANGE` the number of all its keys: $1 lower bound
 * (included), $2 upper bound (excluded), $3 maximum number of selected keys.
 */
export const KEYS_OF_RANGE = `select key from mon.entry where key >= $1 and key < $2 order by key limit $3`;
export const COUNT_RANGE = `select count(*)::int8 from mon.entry where key >= $1 and key < $2`;

/**
 * Replaces values that have not changed since they were read: $1 keys, $2 values as they were read, $3 new values. It
 * skips locked rows and returns the keys whose values were replaced.
 */
export const REPLACE_VALUES = `
with free as (
  select entry.key, given.current from unnest($1::bytea[], $2::bytea[], $3::bytea[]) as given(key, old, current)
  join mon.entry as entry on entry.key = given.key and entry.value = given.old
  for update of entry skip locked
)
update mon.entry as entry set value = free.current from free where entry.key = free.key
returning entry.key`;

/**
 * Selects the listed members that do not support a schema, and the holders of valid leases that are not listed, whose
 * versions are unknown. A member is listed if it was seen recently. A listed member is omitted if it holds no valid
 * lease, and another member with the same name and URL has started since it was last seen.
 *
 * $1 the schema, $2 the newest schema that is assumed for a member that announces none, $3 milliseconds after which a
 * member that was not seen is no longer listed, $4 id of this process.
 */
export const OLDER_PROGRAMS = `
with listed as (
  select id, name, url, version, newest_schema, since, last_seen from mon.member
  where last_seen >= clock_timestamp() - $3 ${MILLISECONDS}
), held as (
  select holder, good_until from mon.lease where good_until > clock_timestamp()
)
select name, url, version, extract(epoch from clock_timestamp() - last_seen)::int4 as seconds
from listed as member
where coalesce(newest_schema, $2) < $1 and (
  id in (select holder from held where holder is not null) or not exists (
    select from listed as later
    where later.id <> member.id and later.name = member.name and later.url = member.url
      and later.since >= member.last_seen
  )
)
union all
select null, null, null, ceil(extract(epoch from good_until - clock_timestamp()))::int4
from held where holder <> $4 and holder not in (select id from listed)
order by name`;

/**
 * Releases expired leases whose holders are not listed as members. $1 milliseconds after which a member that was not
 * seen is no longer listed.
 */
export const RELEASE_UNLISTED = `
update mon.lease set holder = null
where good_until <= clock_timestamp() and holder not in (
  select id from mon.member where last_seen >= clock_timestamp() - $1 ${MILLISECONDS}
)`;

/**
 * Stores the schema version that a completed migration leads to, unless the stored version is newer. $1 the version.
 */
export const SET_SCHEMA = `update mon.store set schema = $1 where schema < $1`;

export const SELECT_SIZE = `select pg_total_relation_size('mon.entry')::int8 + pg_total_relation_size('mon.change')::int8 as bytes`;

/**
 * Selects writes with the keys that they changed, for followers: $1 shard, $2 the last sequence number that the
 * follower has, $3 maximum number of writes after it. The write with number $2 is selected too, but only with its id,
 * and only if it is still retained.
 */
export const SELECT_WRITES_AFTER = `
select seq::int8, batch, case when seq > $2 then changes end as changes, case when seq > $2 then keys end as keys
from mon.change where shard = $1 and seq >= $2 order by seq limit $3::int8 + 1`;

/** Selects the sequence number of the last write to a shard, as the snapshot of the transaction shows it. $1 shard. */
export const SELECT_LAST_SEQ = `select seq::int8 from mon.lease where shard = $1`;

/**
 * Inserts or updates the row of a member, and sets the time when it was last seen to now. $1 id, $2 name, $3 URL, $4
 * fingerprint of its certificate, $5 version, $6 sequence number of the last write in its memory, $7 proof that a
 * backend with the peer key wrote the row, $8 newest schema that it supports.
 */
export const UPSERT_MEMBER = `
insert into mon.member (id, name, url, fingerprint, version, seq, proof, newest_schema)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict (id) do update set name = excluded.name, url = excluded.url, fingerprint = excluded.fingerprint,
  version = excluded.version, seq = excluded.seq, proof = excluded.proof, newest_schema = excluded.newest_schema,
  last_seen = clock_timestamp()`;

/**
 * Removes the members that the member $1 has replaced: they have the same name and URL, and were last seen before that
 * member started. The holder of a valid lease is not removed, because the members still need its address.
 */
export const DELETE_REPLACED = `
delete from mon.member as replaced using mon.member as own
where own.id = $1 and replaced.id <> own.id and replaced.name = own.name and replaced.url = own.url
  and replaced.last_seen <= own.since
  and not exists (select from mon.lease where holder = replaced.id and good_until > clock_timestamp())`;

/** Removes members that were not seen for $1 milliseconds. */
export const FORGET_MEMBERS = `delete from mon.member where last_seen < clock_timestamp() - $1 ${MILLISECONDS}`;

export const DELETE_MEMBER = `delete from mon.member where id = $1`;

const epochMs = (column: string): string => `(extract(epoch from ${column}) * 1000)::float8`;

export const SELECT_MEMBERS = `
select id, name, url, fingerprint, version, proof, seq::int8, ${epochMs('since')} as since_ms, ${epochMs('last_seen')} as seen_ms
from mon.member order by name, id`;

/**
 * Selects the lease of a shard (null columns if there is no lease), the time by the clock of the database, and the
 * schema version of the store. $1 shard.
 */
export const LEASE_STATUS = `
select holder, offered_to, epoch::int8, seq::int8, ${epochMs('since')} as since_ms,
  ${epochMs('good_until')} as good_until_ms, ${epochMs('clock_timestamp()')} as now_ms,
  (select schema from mon.store) as schema
from (values (1)) as always left join mon.lease on shard = $1`;
