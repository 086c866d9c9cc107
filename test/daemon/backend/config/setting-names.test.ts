import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ConfigInForce } from '../../../../daemon/backend/config/config-in-force.ts';
import { loadConfig, RejectedConfig, type LoadedConfig } from '../../../../daemon/backend/config/load-config.ts';
import { reloadConfig } from '../../../../daemon/backend/config/reload.ts';
import type { Settings } from '../../../../shared/domain/merge-settings.ts';
import { remarkText } from '../../../../daemon/settings/locate-remark.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';
import { tempDir } from '../../../support/temp-dir.ts';

const DISK = { command: 'df', subscribers: ['base'], interval: 60 };

interface Sources {
  readonly files: Readonly<Record<string, Settings>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Settings;
  readonly isStrict?: boolean;
}

async function load({ files, env = {}, ...more }: Sources): Promise<LoadedConfig> {
  const dir = await tempDir();
  for (const [name, settings] of Object.entries(files)) await writeFile(join(dir, name), JSON.stringify(settings));
  try {
    const config = await loadConfig({ directories: [dir], env, ...more });
    return { ...config, warnings: config.warnings.map((warning) => warning.replaceAll(`${dir}/`, '')) };
  } catch (error) {
    if (!(error instanceof RejectedConfig)) throw error;
    throw new Error(error.problems.map(remarkText).join('\n').replaceAll(`${dir}/`, ''), { cause: error });
  }
}

describe('old names of settings', () => {
  test('an old name of a setting works, with a warning that contains the file, the path and the current name', async () => {
    const { program, inhibitions, warnings } = await load({
      files: {
        'a.json': {
          'core-api': { port: 8180 },
          entity_limit: 500,
          'handle-when-silence-ends': false,
          'silence-policy': { 'apply-to-legacy': true },
          'aggregate-rules': { shop: { critical: 1, least: 3, 'leave-out-silenced': true } },
        },
        'b.json': { inhibitions: { rack: { when: 'check=switch', quiet: 'check!=switch', equal: ['client.rack'] } } },
      },
    });
    expect(program).toMatchObject({
      'v2-listener': { port: 8180 },
      'entity-limit': 500,
      'renotify-after-silence': false,
      'silence-policy': { 'apply-to-v1': true },
      'aggregate-rules': { shop: { 'min-results': 3, 'ignore-silenced': true } },
    });
    expect(inhibitions.get('rack')).toEqual({
      source: 'check=switch',
      target: 'check!=switch',
      equal: ['client.rack'],
    });
    expect(warnings).toEqual([
      'a.json: core-api: is an old name: use v2-listener',
      'a.json: entity_limit: is an old name: use entity-limit',
      'a.json: handle-when-silence-ends: is an old name: use renotify-after-silence',
      'a.json: silence-policy.apply-to-legacy: is an old name: use apply-to-v1',
      'a.json: aggregate-rules.shop.least: is an old name: use min-results',
      'a.json: aggregate-rules.shop.leave-out-silenced: is an old name: use ignore-silenced',
      'b.json: inhibitions.rack.when: is an old name: use source',
      'b.json: inhibitions.rack.quiet: is an old name: use target',
    ]);
  });

  test('setting names with underscores instead of hyphens work at every level', async () => {
    const { program, api, warnings } = await load({
      files: {
        'a.json': {
          log_level: 'warn',
          state_dir: 'state',
          alerts: { default_client: 'alertmanager' },
          agent_listener: { tls: { cert_file: 'a.pem', key_file: 'a.key' } },
          api: { tls: { cert_file: 'b.pem', key_file: 'b.key' } },
          certificate_namespaces: [{ organizational_unit: 'shop', namespaces: ['shop'] }],
        },
      },
    });
    expect(program).toMatchObject({
      'log-level': 'warn',
      'state-dir': 'state',
      alerts: { 'default-client': 'alertmanager' },
      'agent-listener': { tls: { 'cert-file': 'a.pem', 'key-file': 'a.key' } },
      'certificate-namespaces': [{ 'organizational-unit': 'shop', namespaces: ['shop'] }],
    });
    expect(api.tls).toEqual({ 'cert-file': 'b.pem', 'key-file': 'b.key' });
    expect(warnings).toHaveLength(10);
    expect(warnings).toContain('a.json: log_level: is an old name: use log-level');
    expect(warnings).toContain('a.json: api.tls.key_file: is an old name: use key-file');
  });

  test('attributes of Sensu Core keep their underscores without a warning', async () => {
    const files = {
      'a.json': {
        checks: { disk: { ...DISK, low_flap_threshold: 5, high_flap_threshold: 10, log_level: 'x' } },
        handlers: { log_level: { type: 'pipe', command: 'true', env_vars: ['A=1'], log_level: 'y' } },
        client: { name: 'web-1', api_key: 'z', log_level: 'z' },
        api: { log_level: 'x' },
        agent: { api_key: 'read by the agent' },
      },
    };
    const { settings, warnings } = await load({ files });
    expect(settings).toEqual(files['a.json']);
    expect(warnings).toEqual(['a.json: api.log_level: is not a known setting and has no effect']);
  });

  test('a file that contains both the old and the current name of a setting is rejected', async () => {
    await expect(load({ files: { 'a.json': { 'entity-limit': 5, entity_limit: 6 } } })).rejects.toThrow(
      'a.json: entity_limit: is the old name of entity-limit, and both are set: remove one of them',
    );
  });

  test.each<{ name: string; sources: Sources }>([
    {
      name: 'a later file with the current name overrides the old name',
      sources: { files: { 'a.json': { log_level: 'warn' }, 'b.json': { 'log-level': 'error' } } },
    },
    {
      name: 'a later file with the old name overrides the current name',
      sources: { files: { 'a.json': { 'log-level': 'warn' }, 'b.json': { log_level: 'error' } } },
    },
    {
      name: 'a flag overrides the old name in a file',
      sources: { files: { 'a.json': { log_level: 'warn' } }, flags: { 'log-level': 'error' } },
    },
    {
      name: 'the old name in a file overrides a variable of the environment',
      sources: { files: { 'a.json': { log_level: 'error' } }, env: { MON_LOG_LEVEL: 'warn' } },
    },
  ])('$name', async ({ sources }) => {
    const { program, settings } = await load(sources);
    expect(program['log-level']).toBe('error');
    expect(settings).toEqual({ 'log-level': 'error' });
  });

  test('strict validation rejects old names of settings', async () => {
    await expect(load({ files: { 'a.json': { 'core-api': {} } }, isStrict: true })).rejects.toThrow(
      'a.json: core-api: is an old name: use v2-listener',
    );
  });

  test('a problem below an old name of a setting is reported under the current name', async () => {
    await expect(load({ files: { 'a.json': { 'core-api': { prot: 1 } } } })).rejects.toThrow(/^a\.json: v2-listener/);
  });
});

test('settings that became fixed limits have no effect, and a warning names the limit', async () => {
  const { settings, warnings } = await load({
    files: {
      'a.json': {
        'attributes-limit': 1024,
        'keys-limit': 10,
        'silences-limit': 5,
        'buffer-limit-per-connection': 20,
        'client-quarantine': 0,
        'stale-after': 1,
        timeline: { days: 5, 'transitions-per-check': 100 },
        'silence-policy': { 'warn-matches': 'not even a number' },
      },
    },
  });
  expect(settings).toEqual({ timeline: { days: 5 }, 'silence-policy': {} });
  expect(warnings).toEqual([
    'a.json: attributes-limit: no longer has an effect: the limit is 65,536 bytes; remove this setting',
    'a.json: keys-limit: no longer has an effect: the limit is 1,000 keys; remove this setting',
    'a.json: silences-limit: no longer has an effect: the limit is 1,000,000 silences in a namespace; remove this setting',
    'a.json: buffer-limit-per-connection: no longer has an effect: the limit is 32 MiB; remove this setting',
    'a.json: client-quarantine: no longer has an effect: the limit is 60 seconds; remove this setting',
    'a.json: stale-after: no longer has an effect: the limit is 5 seconds; remove this setting',
    'a.json: timeline.transitions-per-check: no longer has an effect: the limit is 10,000 transitions; remove this setting',
    'a.json: silence-policy.warn-matches: no longer has an effect: the limit is 50 matching events; remove this setting',
  ]);
});

describe('a reload while the backend runs', () => {
  test('a reload of a file in which only the name of a setting changed changes nothing', async () => {
    const dir = await tempDir();
    const write = (settings: Settings): Promise<void> => writeFile(join(dir, 'a.json'), JSON.stringify(settings));
    const read = (): Promise<LoadedConfig> => loadConfig({ directories: [dir], env: {} });
    await write({ entity_limit: 500, 'core-api': { port: 0 } });
    const config = new ConfigInForce(await read(), 0);
    const { hexdigest } = config;
    const log = new RecordedLog();
    const again = (): Promise<unknown> =>
      reloadConfig({ load: read, config, check: () => undefined, clock: new ManualClock(), log });
    await write({ 'entity-limit': 500, 'v2-listener': { port: 0 } });
    await again();
    expect([config.hexdigest, log.records]).toEqual([hexdigest, []]);

    await write({ entity_limit: 600, 'core-api': { port: 0 } });
    await again();
    expect(config.program['entity-limit']).toBe(600);
    expect(log.messages('warn')).toEqual([
      `${join(dir, 'a.json')}: entity_limit: is an old name: use entity-limit`,
      `${join(dir, 'a.json')}: core-api: is an old name: use v2-listener`,
    ]);

    await write({ entity_limit: 700, 'entity-limit': 800 });
    await again();
    expect(config.program['entity-limit']).toBe(600);
    expect(log.messages('error')).toEqual(['configuration rejected: the previous configuration stays in effect']);
  });
});
