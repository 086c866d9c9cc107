import { describe, expect, test } from 'vitest';
import { renameSettings, type SettingNames } from '../../../shared/domain/renamed-settings.ts';

const NAMES: SettingNames = {
  current: ['log-level', 'v2-listener', 'columns'],
  renamed: { 'core-api': 'v2-listener' },
  fixed: { 'keys-limit': 'the limit is 1,000 keys' },
  below: {
    'v2-listener': { below: { tls: { current: ['cert-file'] } } },
    columns: { each: { values: { told: 'notified' } } },
    rules: { each: { current: ['source'], renamed: { when: 'source' } } },
    list: { current: ['organizational-unit'] },
    views: { each: ({ view }) => ({ below: { sort: { values: view === 'events' ? { told: 'notified' } : {} } } }) },
  },
};

/** Returns the settings after the renaming, and each warning or problem as `path: message`. */
function renamed(settings: Readonly<Record<string, unknown>>): readonly [unknown, ...string[]] {
  const { settings: after, warnings, problems } = renameSettings(settings, NAMES);
  return [after, ...[...warnings, ...problems].map(({ path, message }) => `${path.join('.')}: ${message}`)];
}

describe('renamed settings in one file', () => {
  test.each<{ name: string; settings: Readonly<Record<string, unknown>>; expected: readonly [unknown, ...string[]] }>([
    {
      name: 'current and unknown names stay unchanged',
      settings: { 'log-level': 'warn', other_name: 1 },
      expected: [{ 'log-level': 'warn', other_name: 1 }],
    },
    {
      name: 'the underscore form of a current name is rewritten',
      settings: { log_level: 'warn' },
      expected: [{ 'log-level': 'warn' }, 'log_level: is an old name: use log-level'],
    },
    {
      name: 'an old name is rewritten',
      settings: { 'core-api': { port: 1 } },
      expected: [{ 'v2-listener': { port: 1 } }, 'core-api: is an old name: use v2-listener'],
    },
    {
      name: 'the underscore form of an old name is rewritten',
      settings: { core_api: { port: 1 } },
      expected: [{ 'v2-listener': { port: 1 } }, 'core_api: is an old name: use v2-listener'],
    },
    {
      name: 'names below an old name are rewritten too, and the warning has the path in the file',
      settings: { 'core-api': { tls: { cert_file: 'a' } } },
      expected: [
        { 'v2-listener': { tls: { 'cert-file': 'a' } } },
        'core-api: is an old name: use v2-listener',
        'core-api.tls.cert_file: is an old name: use cert-file',
      ],
    },
    {
      name: 'an old and a current name of one setting are a problem, and the current name wins',
      settings: { 'core-api': { port: 1 }, 'v2-listener': { port: 2 } },
      expected: [
        { 'v2-listener': { port: 2 } },
        'core-api: is the old name of v2-listener, and both are set: remove one of them',
      ],
    },
    {
      name: 'two old names of one setting are a problem',
      settings: { 'core-api': { port: 1 }, core_api: { port: 2 } },
      expected: [
        { 'v2-listener': { port: 1 } },
        'core-api: is an old name: use v2-listener',
        'core_api: is the old name of v2-listener, and both are set: remove one of them',
      ],
    },
    {
      name: 'a setting that became a constant is removed, under either form of its name',
      settings: { 'keys-limit': 5, keys_limit: 6 },
      expected: [
        {},
        'keys-limit: no longer has an effect: the limit is 1,000 keys; remove this setting',
        'keys_limit: no longer has an effect: the limit is 1,000 keys; remove this setting',
      ],
    },
    {
      name: 'names below a user-defined name are rewritten, but not the user-defined name',
      settings: { rules: { when: { when: 'a=b' } } },
      expected: [{ rules: { when: { source: 'a=b' } } }, 'rules.when.when: is an old name: use source'],
    },
    {
      name: 'names in each element of a list are rewritten',
      settings: { list: [{ 'organizational-unit': 'a' }, { organizational_unit: 'b' }] },
      expected: [
        { list: [{ 'organizational-unit': 'a' }, { 'organizational-unit': 'b' }] },
        'list.1.organizational_unit: is an old name: use organizational-unit',
      ],
    },
    {
      name: 'an old name that is a value is rewritten, alone or in a list',
      settings: { columns: { events: ['client', 'told'], groups: 'told' } },
      expected: [
        { columns: { events: ['client', 'notified'], groups: 'notified' } },
        'columns.events.1: "told" is an old name: use notified',
        'columns.groups: "told" is an old name: use notified',
      ],
    },
    {
      name: 'the rewritten names of a level can depend on other settings of the level',
      settings: { views: { a: { view: 'events', sort: 'told' }, b: { view: 'clients', sort: 'told' } } },
      expected: [
        { views: { a: { view: 'events', sort: 'notified' }, b: { view: 'clients', sort: 'told' } } },
        'views.a.sort: "told" is an old name: use notified',
      ],
    },
    {
      name: 'a value of the wrong type stays and is left to the schema to reject',
      settings: { 'v2-listener': 5, rules: 'none', list: null },
      expected: [{ 'v2-listener': 5, rules: 'none', list: null }],
    },
  ])('renamed settings are rewritten when a file is read: $name', ({ settings, expected }) => {
    expect(renamed(settings)).toEqual(expected);
  });

  test('renamed settings keep the order of the file', () => {
    const { settings } = renameSettings({ b: 1, 'core-api': {}, a: 2 }, NAMES);
    expect(Object.keys(settings)).toEqual(['b', 'v2-listener', 'a']);
  });

  test.each(['__proto__', 'constructor', 'toString'])(
    'the setting name %s is treated like any unknown name',
    (name) => {
      const settings = JSON.parse(`{"${name}": {"${name}": "${name}"}, "columns": {"${name}": "${name}"}}`) as object;
      expect(renameSettings({ ...settings }, NAMES)).toEqual({ settings: { ...settings }, warnings: [], problems: [] });
    },
  );
});
