import { expect, test } from 'vitest';
import { machineTimeZone, timeZoneOf } from '../../../shared/schemas/time-zone.ts';

test.each<[text: string, zone: string | undefined]>([
  ['UTC', 'UTC'],
  ['utc', 'UTC'],
  ['GMT', 'UTC'],
  ['Z', 'UTC'],
  ['+02:00', '+02:00'],
  ['-0530', '-05:30'],
  ['+23:59', '+23:59'],
  ['EST', '-05:00'],
  ['PDT', '-07:00'],
  ['Europe/Berlin', 'Europe/Berlin'],
  ['europe/berlin', 'Europe/Berlin'],
  ['America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
  ['Etc/GMT+5', 'Etc/GMT+5'],
  // Short names such as `BST` and `IST` mean different zones in different countries, so they are invalid.
  ['BST', undefined],
  ['IST', undefined],
  ['PM', undefined],
  ['', undefined],
  ['+24:00', undefined],
  ['+2', undefined],
  ['+02:60', undefined],
  ['Mars/Base', undefined],
  ['../etc/passwd', undefined],
  [`Europe/${'a'.repeat(100)}`, undefined],
])('the text %s is parsed as the time zone %s', (text, zone) => {
  expect(timeZoneOf(text)).toBe(zone);
});

test.each<{ named: string | undefined; offsetMinutes: number; zone: string }>([
  { named: 'Europe/Berlin', offsetMinutes: -60, zone: 'Europe/Berlin' },
  { named: 'UTC', offsetMinutes: 0, zone: 'UTC' },
  // A machine reports this zone if the variable TZ is empty.
  { named: 'Etc/Unknown', offsetMinutes: 0, zone: '+00:00' },
  // A machine reports no zone if the variable TZ is `:/etc/localtime`, `UTC+3` or invalid.
  { named: undefined, offsetMinutes: 180, zone: '-03:00' },
  { named: undefined, offsetMinutes: -330, zone: '+05:30' },
])(
  'a machine that reports the zone $named and is $offsetMinutes minutes behind UTC has the time zone $zone',
  ({ named, offsetMinutes, zone }) => {
    expect(machineTimeZone(named, offsetMinutes)).toBe(zone);
  },
);
