import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DEFAULT_ARGUMENTS } from '../../../tui/config/arguments.ts';
import { EMPTY_CONFIG } from '../../../tui/config/console-config.ts';
import { settingsOf } from '../../../tui/config/appearance-settings.ts';
import { ConfigFileError, parseConfig } from '../../../tui/config/parse-config.ts';
import { actionOfKey, allBindings, bindKeys, keyOf } from '../../../tui/state/keys.ts';
import { propertyRuns } from '../../support/property-runs.ts';

const FILE = 'console.yml';

function problems(text: string): readonly string[] {
  try {
    parseConfig(text, FILE);
  } catch (error) {
    if (error instanceof ConfigFileError) return error.message.split('\n');
    throw error;
  }
  return [];
}

const FULL = `
# my console
context: prod
keys:
  silence: ctrl-t
  filter: [/, f3]
columns:
  events: [client, check, age, output]
views:
  on-call:
    view: events
    filter: status>=warn and not silenced
    sort: -age
    columns: [client, output]
  edge: { view: clients, filter: subscriptions=edge }
skin: light
mouse: true
bell: false
aggregates: { default: 90, named: { canary: none } }
contexts:
  prod:
    backend: https://mon.example.org
    user: alice
    password: { env: MON_PROD_PASSWORD }
  lab:
    backend: http://10.0.0.5:4567
    key: { file: /run/secrets/mon-lab }
`;

test('a configuration file sets keys, views, columns and backends', () => {
  const config = parseConfig(FULL, FILE);
  expect(config.keys).toEqual({ silence: ['ctrl-t'], filter: ['/', 'f3'] });
  expect(config.columns).toEqual({ events: ['client', 'check', 'age', 'output'] });
  expect(Object.fromEntries(config.views)).toEqual({
    'on-call': {
      view: 'events',
      filter: 'status>=warn and not silenced',
      sort: { column: 'age', reversed: true },
      columns: ['client', 'output'],
    },
    edge: { view: 'clients', filter: 'subscriptions=edge', sort: undefined, columns: undefined },
  });
  expect(Object.fromEntries(config.contexts)).toEqual({
    prod: { backend: 'https://mon.example.org', user: 'alice', password: { env: 'MON_PROD_PASSWORD' } },
    lab: { backend: 'http://10.0.0.5:4567', key: { file: '/run/secrets/mon-lab' } },
  });
  expect(config.context).toBe('prod');
  expect(config).toMatchObject({ skin: 'light', mouse: true, bell: false });
  expect(config.aggregateNeeds).toEqual({ default: 90, named: new Map([['canary', 'none']]) });
});

describe('a configuration file of the console with old names', () => {
  const OLD = `keys:
  why: ctrl-w
columns:
  groups: [handler, told]
views:
  waiting:
    view: groups
    filter: untold>0 and told>1h
    sort: -told
    columns: [handler, untold]
`;

  test('a configuration file with old names works, with a warning of the position and current name of each', () => {
    const config = parseConfig(OLD, FILE);
    expect(config.keys).toEqual({ explain: ['ctrl-w'] });
    expect(config.columns).toEqual({ groups: ['handler', 'notified'] });
    expect(config.views.get('waiting')).toEqual({
      view: 'groups',
      filter: 'pending>0 and notified>1h',
      sort: { column: 'notified', reversed: true },
      columns: ['handler', 'pending'],
    });
    expect(config.warnings.map(({ text }) => text)).toEqual([
      'console.yml:2:3: keys.why: is an old name: use explain',
      'console.yml:4:11: columns.groups.1: "told" is an old name: use notified',
      'console.yml:9:5: views.waiting.sort: "-told" is an old name: use -notified',
      'console.yml:10:14: views.waiting.columns.1: "untold" is an old name: use pending',
      'console.yml:8:5: views.waiting.filter: untold is an old name: use pending',
      'console.yml:8:5: views.waiting.filter: told is an old name: use notified',
    ]);
  });

  test('a configuration file with the old and the current name of an action is rejected', () => {
    expect(problems('keys:\n  why: ctrl-w\n  explain: ctrl-x')).toEqual([
      'console.yml:2:3: keys.why: is the old name of explain, and both are set: remove one of them',
    ]);
  });

  test('an old column name of another view is rejected as an unknown column', () => {
    expect(problems('columns:\n  clients: [client, told]')).toEqual([
      expect.stringContaining('clients has no column "told"') as string,
    ]);
  });
});

test('the documented examples of a console configuration are valid', async () => {
  const text = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'console.md'), 'utf8');
  const examples = Array.from(text.matchAll(/```yaml\n([^]*?)```/g), ([, example = '']) => example);
  expect(examples.some((example) => example.includes('contexts:'))).toBe(true);
  expect(examples.flatMap(problems)).toEqual([]);
});

test.each(['', '# nothing\n', 'keys:\nviews:\n', '{}'])(
  'the empty console configuration %j is valid and sets nothing',
  (text) => {
    expect(parseConfig(text, FILE)).toEqual({ ...EMPTY_CONFIG, context: undefined });
  },
);

describe('mistakes in the configuration', () => {
  test.each([
    ['kyes:\n  silence: k', ['console.yml:1:1: kyes: unknown setting: did you mean keys?']],
    [
      'views:\n  a: { view: events, flter: x }',
      ['console.yml:2:22: views.a.flter: unknown setting: did you mean filter?'],
    ],
    ['keys:\n  slience: k', ['console.yml:2:3: keys.slience: there is no action "slience": did you mean silence?']],
    [
      'views:\n  a:\n    view: events\n    filter: status>=bad',
      [
        'console.yml:4:5: views.a.filter: "bad" is not a status: use ok, warn, crit, unknown or a number (at character 9)',
      ],
    ],
    [
      'views: { a: { view: events, sort: colour } }',
      [
        'console.yml:1:29: views.a.sort: events has no sort column "colour": use one of status, backend, namespace, client, check, count, age, last',
      ],
    ],
    [
      'views: { a: { view: events, fold: colour } }',
      [/^console.yml:1:29: views.a.fold: events cannot be folded by "colour": use check, output, cause/],
    ],
    [
      'views: { a: { view: clients, fold: check } }',
      ['console.yml:1:30: views.a.fold: only a view of events can be folded, not clients'],
    ],
    [
      'columns:\n  events: [client, nope]',
      [
        'console.yml:2:3: columns.events: events has no column "nope": use one of status, backend, namespace, client, check, count, age, last, silence, escalation, output',
      ],
    ],
    ['views: { "two words": { view: events } }', [/^console.yml:1:10: views.two words: .*use one word/]],
    ['context: prod', ['console.yml:1:1: context: there is no context "prod": there are none']],
    ['contexts: { a: { backend: localhost } }', [/^console.yml:1:18: contexts.a.backend: the backend must be a URL/]],
    [
      'contexts: { a: { backend: "http://u:secret@x" } }',
      ['console.yml:1:18: contexts.a.backend: do not write credentials into the URL: set user and password'],
    ],
    [
      'contexts: { a: { backend: http://x, user: u, password: hunter2 } }',
      ['console.yml:1:46: contexts.a.password: do not write the secret here: use { env: NAME } or { file: PATH }'],
    ],
    [
      'contexts: { a: { backend: http://x, user: u } }',
      ['console.yml:1:13: contexts.a: set user and password together'],
    ],
    ['skin: pink', [/^console.yml:1:1: skin: .*"dark"/]],
    ['aggregates: { default: 101 }', [/^console.yml:1:15: aggregates.default: .*from 0 to 100, or none/]],
    ['keys: [', [/^console.yml:1:\d+: /]],
    ['a: &x 1\nb: *x', ['console.yml:2:4: aliases (*name) are not supported: write the value out']],
    ['- a', [/^console.yml:1:1: expected object/i]],
  ])('the invalid console configuration %s is reported with its position', (text, expected) => {
    const found = problems(text);
    expect(found).toHaveLength(expected.length);
    for (const [index, wanted] of expected.entries()) {
      expect(found[index]).toMatch(wanted);
    }
  });

  test('all mistakes of a console configuration are reported at once', () => {
    expect(problems('keys: { qiut: z }\nviews: { a: { view: events, filter: "(", sort: x } }')).toHaveLength(3);
  });

  test('a reported mistake of the console configuration never contains a secret', () => {
    expect(problems('contexts: { a: { backend: http://x, password: hunter2 } }').join()).not.toContain('hunter2');
  });
});

function press(name: string, ctrl = false): string | undefined {
  return actionOfKey('events', { name, ctrl, meta: false, shift: false, ...(ctrl ? {} : { text: name }) });
}

test('the appearance settings of the console are read from the configuration file', () => {
  const config = parseConfig('skin: light\nmouse: true\nbell: false', FILE);
  expect(settingsOf(DEFAULT_ARGUMENTS, config, {})).toMatchObject({
    theme: { skin: 'light' },
    mouse: true,
    attention: { bell: false },
  });
});

describe('configured keys', () => {
  test.each([
    [
      'silence: r',
      /^console.yml:1:9: keys.silence: r is already the key of resolve \(.*\): give resolve another key too$/,
    ],
    ['silence: ctrl-c', /is already the key of interrupt/],
    ['prompt-accept: x', /x types text here/],
    ['silence: 5', /write a key as a text/],
    ['silence: "5"', /5 opens a view: use another key/],
    ['silence: ctrl-i', /terminals send tab for ctrl-i/],
    ['silence: shift-s', /shift is part of a character: write S/],
    ['silence: hyper-x', /"hyper-x" is not a key/],
    ['silence: []', /set at least one key/],
    ['interrupt: x', /the keys of interrupt cannot be changed/],
  ])('the setting keys: { %s } is rejected', (text, message) => {
    expect(problems(`keys: { ${text} }`)[0]).toMatch(message);
  });

  test('the configuration file may swap the keys of two actions', () => {
    expect(parseConfig('keys: { silence: r, resolve: s }', FILE).keys).toEqual({ silence: ['r'], resolve: ['s'] });
  });

  test('configured keys take effect for actions, hints and help, and leave all other keys unchanged', () => {
    onTestFinished(() => bindKeys({}));
    bindKeys(parseConfig('keys: { silence: ctrl-t }', FILE).keys);
    expect([press('t', true), press('s'), press('r')]).toEqual(['silence', undefined, 'resolve']);
    expect(keyOf('silence')).toBe('Ctrl-T');
    expect(allBindings().find(([action]) => action === 'silence')?.[1].keys).toEqual(['ctrl-t']);
    bindKeys({});
    expect([press('t', true), press('s')]).toEqual([undefined, 'silence']);
  });
});

test('any text of a console configuration is parsed or its mistakes are reported with line and column', () => {
  const pieces = fc.constantFrom(
    ...'keys: views: contexts: skin silence ctrl-t - { } [ ] , " \' # &a *a <<: !!js __proto__: constructor | > ? ~ 1e999'.split(
      ' ',
    ),
    ': ',
    ' ',
    '\n',
    '\n  ',
    '\u0000',
    '\ud83d',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
      const found = problems(parts.join(''));
      expect(found.every((line) => /^console\.yml:\d+:\d+: ./.test(line))).toBe(true);
    }),
    { numRuns: propertyRuns(2000) },
  );
});

const OLD_NAMES = `contexts:
  lab:
    backend: http://10.0.0.5:4567
    trusted_ca_file: /etc/lab.pem
`;

test('an old setting name of the console works, with a warning of its position in the file', () => {
  const { contexts, warnings } = parseConfig(OLD_NAMES, FILE);
  expect(contexts.get('lab')).toMatchObject({ 'trusted-ca-file': '/etc/lab.pem' });
  expect(warnings).toEqual([
    {
      section: 'contexts',
      text: 'console.yml:4:5: contexts.lab.trusted_ca_file: is an old name: use trusted-ca-file',
    },
  ]);
});

test('an old and a current name of one setting in the console configuration are rejected', () => {
  expect(problems(`${OLD_NAMES}    trusted-ca-file: /etc/lab.pem\n`)).toEqual([
    'console.yml:4:5: contexts.lab.trusted_ca_file: is the old name of trusted-ca-file, and both are set: remove one of them',
  ]);
});

describe('the commands of the user', () => {
  test('a command has a key, a condition and a program with its arguments', () => {
    const { commands } = parseConfig(
      `
commands:
  ssh: { key: f6, description: open a shell, run: [ssh, --, '{{client.address}}'], wait: true }
  ticket: { for: [event], when: status>=crit, run: [ticket, '{{check.name}}'], background: true, read-only: true }
`,
      FILE,
    );
    expect(commands).toEqual([
      {
        name: 'ssh',
        key: 'f6',
        description: 'open a shell',
        subjects: ['event', 'client'],
        when: '',
        words: ['ssh', '--', '{{client.address}}'],
        isBackground: false,
        isReadOnly: false,
        isWaiting: true,
      },
      {
        name: 'ticket',
        key: undefined,
        description: 'run ticket',
        subjects: ['event'],
        when: 'status>=crit',
        words: ['ticket', '{{check.name}}'],
        isBackground: true,
        isReadOnly: true,
        isWaiting: false,
      },
    ]);
  });

  test.each([
    ['{ key: s, run: [x] }', /key: s is already the key of silence \(/],
    ['{ key: f6, for: [client], run: [x] }', undefined],
    ['{ key: x1, run: [x] }', /"x1" is not a key/],
    ['{ key: 5, run: [x] }', /commands.mine.key/],
    ['{ run: "ssh host" }', /write the program and its arguments as a list/],
    ['{ run: [] }', /commands.mine.run/],
    ['{ run: [""] }', /the first item must be a program/],
    ['{ run: ["{{client.name}}"] }', /the program cannot contain \{\{…\}\}/],
    ['{ run: [x, "{{client}}"] }', /is not a placeholder/],
    ['{ run: [x, "{{host.name}}"] }', /\{\{host.name\}\} does not exist for any object/],
    ['{ for: [client], run: [x, "{{check.name}}"] }', /does not exist for a client: use client/],
    ['{ for: [event], when: "status>=bad", run: [x] }', /when: for an event: .*at character/],
    ['{ run: [/bin/sh, -c, "echo {{client.name}}"] }', /do not put \{\{…\}\} into a script/],
    ['{ run: [bash, -lc, "{{client.name}}"] }', /do not put \{\{…\}\} into a script/],
    ['{ run: [sh, -c, "echo $1", sh, "{{client.name}}"] }', undefined],
    ['{ background: true, wait: true, run: [x] }', /no terminal to wait in/],
    ['{ run: [x], cmd: y }', /cmd: unknown setting/],
  ])('the command %s is checked', (text, problem) => {
    expect(problems(`commands: { mine: ${text} }`).join(' ')).toMatch(problem ?? /^$/);
  });

  test.each(['resolve', 'events', 'q', 'view'])('a command cannot have the name %s of the console', (name) => {
    expect(problems(`commands: { ${name}: { run: [x] } }`).join(' ')).toContain(
      `${name} is a command of the console: use another name`,
    );
  });

  test('two commands cannot have the same key, and a configured key of an action is taken', () => {
    expect(problems('commands: { a: { key: f6, run: [x] }, b: { key: f6, run: [x] } }').join(' ')).toContain(
      'commands.b.key: F6 is already the key of a',
    );
    expect(problems('{ keys: { silence: f6 }, commands: { a: { key: f6, run: [x] } } }').join(' ')).toContain(
      'F6 is already the key of silence',
    );
  });
});
