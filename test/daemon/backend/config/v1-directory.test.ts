import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../../daemon/backend/config/load-config.ts';
import { SHELL_TOKENS_WARNING } from '../../../../shared/domain/shell-tokens.ts';
import { tempDir } from '../../../support/temp-dir.ts';

/**
 * Files as they may exist in /etc after years of service: a main file, directories by team, links, leftovers of
 * editors and packages.
 */
const FILES: Readonly<Record<string, unknown>> = {
  'config.json': {
    api: { host: 'sensu.example.com', bind: '127.0.0.1', port: 4567, user: 'admin', password: 'pa:ss' },
    transport: { name: 'rabbitmq', reconnect_on_error: true },
  },
  'conf.d/rabbitmq.json': { rabbitmq: { host: 'mq', port: 5671, vhost: '/sensu', user: 'sensu', password: 'secret' } },
  'conf.d/sensu.json': {
    sensu: { keepalives: { thresholds: { critical: 600 }, handler: 'mail' }, server: { max_message_size: 1_048_576 } },
  },
  'conf.d/redis.json': { redis: { host: 'localhost', port: 6379 } },
  'conf.d/client.json': `\uFEFF${JSON.stringify({
    client: {
      name: 'web-01.example.com',
      address: '10.0.0.11',
      environment: 'production',
      subscriptions: ['linux', 'roundrobin:db', 'client:web-01.example.com'],
      redact: ['password', 'api_token'],
      keepalive: { thresholds: { warning: 60, critical: 300 }, handlers: ['pagerduty'], refresh: 1800 },
      socket: { bind: '127.0.0.1', port: 3030 },
      http_socket: { bind: '127.0.0.1', port: 3031, user: 'admin', password: 'x', protect_all_endpoints: true },
      deregister: true,
      deregistration: { handler: 'deregister', status: 1 },
      safe_mode: false,
      disk: { warning: 85 },
    },
  })}`,
  'conf.d/checks/linux.json': {
    checks: {
      disk: {
        command: 'check-disk.rb -w :::disk.warning|80::: -c 90',
        subscribers: ['linux'],
        interval: 60,
        handlers: ['default', 'graphite'],
        occurrences: 3,
        refresh: 7200,
        dependencies: ['web-01/ping'],
        notification: 'Disk space',
        playbook: 'https://wiki.example.com/disk',
        subdue: { days: { all: [{ begin: '12:00 AM', end: '11:59 PM' }] } },
      },
      metrics: {
        type: 'metric',
        command: 'metrics.rb --scheme stats.:::name:::',
        standalone: true,
        interval: 30,
        handler: 'graphite',
        aggregate: true,
        ttl: 120,
        ttl_status: 2,
      },
      cron: { command: 'true', subscribers: ['linux'], cron: '0 9-17 * * mon-fri', aggregates: ['a:b|c', 'web'] },
      switches: {
        command: 'check-snmp -h :::address:::',
        subscribers: ['roundrobin:snmp'],
        interval: 60,
        source: 'switch-:::name:::',
        proxy_requests: { client_attributes: { keepalives: false, type: "eval: value == 'switch'" }, splay: true },
        hooks: { '1': { command: 'ps' }, critical: { command: 'ps aux', timeout: 5 }, 'non-zero': { command: 'df' } },
        low_flap_threshold: 20,
        high_flap_threshold: 60,
        truncate_output: false,
      },
      unpublished: { command: 'true', subscribers: ['linux'], publish: false },
      extension: { extension: 'check_me', subscribers: ['linux'], interval: 10, auto_resolve: false, handle: false },
    },
  },
  'conf.d/checks/override.json': { checks: { disk: { interval: 120, subscribers: ['storage', 'linux'] } } },
  'conf.d/handlers/all.json': {
    handlers: {
      default: { type: 'set', handlers: ['pagerduty', 'mail'] },
      pagerduty: {
        type: 'pipe',
        command: 'pagerduty.rb',
        severities: ['critical', 'unknown'],
        filters: ['production'],
      },
      mail: { type: 'pipe', command: 'mail -s x ops', timeout: 7.5, filter: 'occurrences', handle_flapping: true },
      graphite: { type: 'tcp', socket: { host: 'graphite', port: 2003 }, mutator: 'only_check_output' },
      statsd: { type: 'udp', socket: { host: 'statsd', port: 8125 }, mutator: 'shorten' },
      queue: { type: 'transport', pipe: { type: 'topic', name: 'events', options: { durable: true } } },
      deregister: { type: 'pipe', command: 'deregister.rb', handle_silenced: true },
    },
  },
  'conf.d/filters.json': {
    filters: {
      production: { attributes: { client: { environment: 'production' } } },
      hours: {
        negate: true,
        attributes: { timestamp: 'eval: [1,2,3,4,5].include?(Time.at(value).wday)' },
        when: { days: { monday: [{ begin: '9:00 AM', end: '5:00 PM' }] } },
      },
    },
  },
  'conf.d/mutators.json': { mutators: { shorten: { command: 'cut -c 1-80', timeout: 2 } } },
  // A file with settings of a plugin.
  'conf.d/pagerduty.json': { pagerduty: { api_key: 'k' } },
  'conf.d/checks/old.json.rpmsave': 'no JSON',
  'conf.d/.checks.json.swp': 'no JSON',
  'conf.d/README': 'no JSON',
  'teams/storage/ceph.json': { checks: { ceph: { command: 'ceph health', subscribers: ['ceph'], interval: 60 } } },
};

test('a configuration directory of Sensu Core loads unchanged', async () => {
  const root = await tempDir();
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  }
  await symlink(join(root, 'teams'), join(root, 'conf.d/teams'));
  const directories = [join(root, 'conf.d')];

  const config = await loadConfig({ file: join(root, 'config.json'), directories, env: {} });
  expect(config.warnings.map((warning) => warning.replaceAll(`${root}/`, ''))).toEqual([
    'conf.d/checks/override.json: checks.disk: is also defined in conf.d/checks/linux.json: the definitions and their lists are merged, ' +
      'and this file takes precedence; keep only one definition',
    'conf.d/sensu.json: sensu.server: belongs to Sensu Core and has no effect here',
    'config.json: transport: belongs to Sensu Core and has no effect here',
    'conf.d/pagerduty.json: pagerduty: is not a known section: the section has no effect except that GET /settings shows it',
    'conf.d/rabbitmq.json: rabbitmq: belongs to Sensu Core and has no effect here',
    'conf.d/redis.json: redis: belongs to Sensu Core and has no effect here',
    'config.json: api.host: is not a known setting and has no effect',
    'config.json: api.password: is a password in plain text: use the hash from mon-backend hash-password',
    `conf.d/checks/linux.json: checks.disk.command: ${SHELL_TOKENS_WARNING}`,
    `conf.d/checks/linux.json: checks.switches.command: ${SHELL_TOKENS_WARNING}`,
  ]);
  expect([...config.checks.keys()].toSorted()).toEqual([
    'ceph',
    'cron',
    'disk',
    'extension',
    'metrics',
    'switches',
    'unpublished',
  ]);
  expect(config.checks.get('disk')).toMatchObject({ interval: 120, subscribers: ['linux', 'storage'], occurrences: 3 });
  expect([...config.handlers.keys()]).toHaveLength(7);
  expect([...config.filters.keys()]).toEqual(['production', 'hours']);
  expect([...config.mutators.keys()]).toEqual(['shorten']);
  expect(config.keepalives).toEqual({ thresholds: { warning: 120, critical: 600 }, handler: 'mail' });
  expect(config.settings['client']).toMatchObject({ name: 'web-01.example.com', disk: { warning: 85 } });
});

test('the commented example configuration contains every attribute and loads without a warning', async () => {
  const config = await loadConfig({ file: 'examples/backend.yml', directories: [], env: {} });
  expect(config.warnings).toEqual([]);
  const { checks, handlers } = config;
  expect([...checks.keys()]).toEqual(['uptime', 'disk', 'switch-ping', 'website']);
  expect(new Set([...handlers.values()].map(({ type }) => type))).toEqual(
    new Set(['pipe', 'tcp', 'udp', 'webhook', 'email', 'transport', 'set', 'escalation']),
  );
});
