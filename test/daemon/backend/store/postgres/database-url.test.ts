import { describe, expect, test } from 'vitest';
import { parseDatabaseUrl } from '../../../../../daemon/backend/store/postgres/database-url.ts';

describe('the setting store', () => {
  test.each<{ name: string; text: string; hosts: string[]; shown: string }>([
    {
      name: 'one host',
      text: 'postgres://mon:secret@db-1:5432/mon',
      hosts: ['postgres://mon:secret@db-1:5432/mon'],
      shown: 'postgres://db-1:5432/mon',
    },
    {
      name: 'several hosts, each with its own port',
      text: 'postgresql://mon:se%40cret@db-1,db-2:5433/mon?sslmode=verify-full&target_session_attrs=read-write',
      hosts: [
        'postgresql://mon:se%40cret@db-1/mon?sslmode=verify-full',
        'postgresql://mon:se%40cret@db-2:5433/mon?sslmode=verify-full',
      ],
      shown: 'postgres://db-1,db-2:5433/mon',
    },
    {
      name: 'no credentials, which a certificate or the environment may supply',
      text: 'postgres://db-1/mon',
      hosts: ['postgres://db-1/mon'],
      shown: 'postgres://db-1/mon',
    },
  ])('the setting store accepts a PostgreSQL URL with $name', ({ text, hosts, shown }) => {
    expect(parseDatabaseUrl(text)).toEqual({ hosts, shown });
  });

  test.each([
    '',
    'mysql://db-1/mon',
    'postgres://db-1',
    'postgres://db-1/',
    'postgres://,db-2/mon',
    'postgres:///mon',
    `postgres://${Array.from({ length: 17 }, (_, at) => `db-${String(at)}`).join(',')}/mon`,
    'postgres://mon:secret@db-1:port/mon',
    'postgres://mon:secret@db-1:5432/mon?target_session_attrs=any',
  ])('the setting store rejects %j without showing the password', (text) => {
    expect(() => parseDatabaseUrl(text)).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(() => parseDatabaseUrl(text)).toThrow(/^store: (?!.*secret)/);
  });

  test('an unknown parameter is rejected with its name, because its author expects an effect', () => {
    expect(() => parseDatabaseUrl('postgres://mon:secret@db-1/mon?sslmod=disable')).toThrow(
      /^store: unknown parameter "sslmod" in the URL: use sslmode, /,
    );
  });
});
