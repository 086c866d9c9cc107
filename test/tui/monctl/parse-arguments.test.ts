import { expect, test } from 'vitest';
import { manualText } from '../../../tui/monctl/help.ts';
import { GLOBAL_OPTIONS, parseArguments } from '../../../tui/monctl/parse-arguments.ts';
import { ALL_COMMANDS } from '../../../tui/monctl/run.ts';

function parsed(line: string): ReturnType<typeof parseArguments> {
  return parseArguments(
    line.split(' ').filter((word) => word !== ''),
    ALL_COMMANDS,
  );
}

test('monctl accepts options anywhere on the command line', () => {
  for (const line of [
    '--backend http://h -o json silenced delete web:* --no-silenced',
    'silenced --output json delete web:*',
    'silenced delete -o json -- web:*',
    'silenced delete --output=json web:*',
  ]) {
    const called = parsed(line.replace(' --no-silenced', ''));
    expect(called).toMatchObject({ kind: 'command', operands: ['web:*'], command: { words: ['silence', 'delete'] } });
    expect(called.kind === 'command' && called.flags.value('output')).toBe('json');
  }
});

test.each([
  ['event list', undefined],
  ['event list --silenced', true],
  ['event list --no-silenced', false],
])('the monctl command line "%s" sets the option --silenced to %s', (line, expected) => {
  const called = parsed(line);
  expect(called.kind === 'command' && called.flags.switch('silenced')).toBe(expected);
});

test.each([
  ['--version', { kind: 'version' }],
  ['event list --version', { kind: 'version' }],
  ['--help', { kind: 'help', words: [] }],
  ['help', { kind: 'help', words: [] }],
  ['-h event', { kind: 'help', words: ['event'] }],
  ['help silenced create', { kind: 'help', words: ['silence', 'create'] }],
  ['event info web-001 --help', { kind: 'help', words: ['event', 'info'] }],
  ['event list --help --nonsense', { kind: 'help', words: ['event', 'list'] }],
])('the monctl command line "%s" prints the version or the help', (line, expected) => {
  expect(parsed(line)).toEqual(expected);
});

test.each([
  [
    '',
    'monctl needs a command: such as event, ack, unack, silence, maintenance, report, client, check, result, aggregate; see monctl --help',
  ],
  [
    'event',
    'monctl event needs a command: list, follow, info, explain, resolve, delete, timeline, availability; see monctl event --help',
  ],
  ['evnt list', 'monctl evnt is no command: did you mean monctl event?'],
  ['api-key grant bob', 'unknown command api-key grant: use monctl api-key create'],
  ['silenced clear -y web:*', 'unknown command silence clear: use monctl silence delete'],
  ['silenced extend web:* 2h', 'unknown command silence extend: use monctl silence update'],
  ['event lsit', 'monctl event lsit is no command: did you mean monctl event list?'],
  ['event res a b', 'monctl event res is no command: did you mean monctl event resolve?'],
  [
    'event explode',
    'monctl event explode is no command: the most similar are monctl event explain, monctl event follow, monctl event resolve; see monctl event --help',
  ],
  [
    'frobnicate',
    expect.stringMatching(
      /^monctl frobnicate is no command: the most similar are (?:monctl [a-z-]+(?:, )?){3}; see monctl --help$/,
    ),
  ],
  [
    'event list --no-serach',
    '--no-serach is no option of monctl event list: the most similar are --no-raw, --no-watch, --no-utc; see monctl event list --help',
  ],
  ['event list --no-haeders', '--no-haeders is no option of monctl event list: did you mean --no-headers?'],
  ['help evnt', 'monctl evnt is no command: did you mean monctl event?'],
  ['event list --serach x', '--serach is no option of monctl event list: did you mean --search?'],
  [
    'event info a b --expire 1h',
    expect.stringMatching(/^--expire is no option of monctl event info: the most similar are --\w+, /),
  ],
  ['event list --expire-on-resolv', expect.stringMatching(/^--expire-on-resolv is no option of monctl event list: /)],
  [
    'silenced create --expire-on-resolv',
    '--expire-on-resolv is no option of monctl silence create: did you mean --expire-on-resolve?',
  ],
  ['event list -x', expect.stringMatching(/^-x is no option of monctl event list: /)],
  ['event list --client', '--client needs a value: --client NAME'],
  ['event list --no-client', '--client needs a value: --client NAME'],
  ['event list --client=', '--client needs a value: --client NAME'],
  ['event list --client a --client b', 'The flag --client can only be set once.'],
  ['event info web-001', 'CHECK is missing: use monctl event info CLIENT CHECK'],
  ['event info a b c', '"c" is an unexpected argument: use monctl event info CLIENT CHECK'],
  ['silenced delete a b', '"b" is an unexpected argument: use monctl silence delete [ID]'],
])('the monctl command line "%s" is rejected: %s', (line, message) => {
  expect(() => parsed(line)).toThrow(expect.objectContaining({ name: 'MonError', code: 'invalid', message }));
});

test('monctl rejects an option named like a JavaScript property as an unknown option', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'has-own-property']) {
    expect(() => parsed(`event list --${name} x`)).toThrow(/is no option|is too much/);
  }
});

test('every monctl command has a manual', () => {
  const create = ALL_COMMANDS.find(({ words }) => words.join(' ') === 'silence create');
  expect(create && manualText(create.words, [create], GLOBAL_OPTIONS)).toMatchInlineSnapshot(`
    "monctl silence create - Silence a check, a client, a subscription, or the events
    that match a search

    Synopsis
      monctl silence create [OPTIONS]

    Description
      A silence with the same check and subscription, or the same selector, is
      replaced.
      A selector also matches future events; it cannot use attributes that change
      with every result.
      Without --expire, a silence never expires. With --recur, it is active
      repeatedly, for --duration each time;
      --dry-run shows the next windows and how daylight saving time changes them.

    Options
      --check NAME         match this check, on all clients unless --subscription or
                           --client is set
      --subscription NAME  match all clients with this subscription
      --client NAME        match this client; short for --subscription client:NAME
      --selector SEARCH    events that match this search, for example 'client~web-*
                           env=prod'
      --expire DURATION    duration of the silence: 1h, 1h30m, 2d, 90 minutes, a
                           number of seconds, or never
      --begin TIME         start of the silence: 22:00, tomorrow 02:00, 2h (from
                           now), 2026-11-20T22:00, or epoch seconds
      --expire-on-resolve  expire the silence as soon as its event resolves
      --recur SCHEDULE     silence on a recurring schedule: 'sat,sun 02:00',
                           'mon-fri 6:00,18:00', 'daily 03:30' or cron '0 22 * * 2'
      --zone ZONE          time zone of --recur: Europe/Berlin, +02:00, UTC;
                           default: local time
      --duration DURATION  length of each recurring window, such as 30m or 2h
      --first-day DAY      first day of the recurring schedule, such as 2026-12-01
      --last-day DAY       last day of the recurring schedule
      -m, --reason TEXT    reason for the silence, shown to other operators
      --creator TEXT       name to record as the creator; default: USER@host
      --namespace NAME     namespace to use; default: namespace of the context, else
                           "default"
      --dry-run            show the requests and their effects, but send nothing

    Examples
      # a host in maintenance
      monctl silence create --client web-001 --expire 2h --reason 'CHG-4412'
      # until the check is fixed
      monctl silence create --client web-001 --check disk --expire-on-resolve
      # planned maintenance
      monctl silence create --subscription web --begin 2026-11-21T02:00 --expire 1h
      # by search
      monctl silence create --selector 'client~web-* env=prod' --expire 1h
      # every weekend
      monctl silence create --check backup --recur 'sat,sun 02:00' --duration 2h
      # preview the matching events
      monctl silence create --subscription web --dry-run

    Options of every command
      --backend URL               backend URL; default http://127.0.0.1:4567
      --context NAME              use this context from the configuration file; see
                                  "monctl configure"
      --trusted-ca-file FILE      verify the backend certificate with these CA
                                  certificates (PEM)
      --insecure-skip-tls-verify  do not verify the certificate of the backend
                                  (testing only)
      -o, --output FORMAT         output format: table, json, yaml, jsonpath=PATH,
                                  wide, name, csv; wide, name and csv for lists;
                                  default table
      --headers                   show column titles in tables and CSV (default);
                                  --no-headers: hide them
      --utc                       show and read times in UTC; default: local time,
                                  or time-zone of the configuration file
      --raw                       print control characters unchanged (only if output
                                  goes to a pipe)
      -h, --help                  show help for the command
      --version                   show the version of monctl

    Environment
      MON_BACKEND      backend URL if --backend is not set
      MON_NAMESPACE    namespace if --namespace is not set
      MON_API_KEY      API key
      MON_CREDENTIALS  user:password
      TZ               time zone, such as Europe/Berlin; default: that of the
                       machine
      NO_COLOR         disable colors if set to any value

    Exit codes
      0   done
      1   failure: an internal error, or the address does not belong to a backend
      2   invalid command line, value or TLS configuration; nothing was done
      3   not found
      4   the backend rejected the credentials, or its entity limit is reached
      5   the backend is unreachable or busy; retry later
      6   conflict: the object exists already, or somebody else owns the object
      7   canceled; nothing was done
      8   the backend responds but has a problem (health, audit verify)
      9   only a part was done (restore, create -f, delete -f, upgrade
          fix-namespaces)
      10  the upgrade is blocked (upgrade plan, upgrade check)"
  `);
});

test('no line of a monctl manual is wider than a terminal', () => {
  const pages = [
    manualText([], ALL_COMMANDS, GLOBAL_OPTIONS),
    ...ALL_COMMANDS.map((one) => manualText(one.words, [one], GLOBAL_OPTIONS)),
  ];
  const lines = pages.join('\n').split('\n');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});
