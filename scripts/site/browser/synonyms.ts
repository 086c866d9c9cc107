/**
 * Synonyms of the site search. Each line has the words that the pages use, and after it the words and phrases that
 * readers of other tools search for. A search for a word on the right also finds the words on the left.
 *
 * All forms of a word count as the same: "mute" stands for "muted" and "muting", too.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  // Silences
  silence: [
    'downtime',
    'mute',
    'snooze',
    'blackout',
    'maintenance window',
    'scheduled maintenance',
    'suppress',
    'unsilence',
    'unmute',
  ],
  maintenance: ['downtime', 'maintenance window'],
  'maintenance silence': ['maintenance tonight', 'tonight', 'planned work', 'change window'],
  'recurring silence': ['blackout', 'every night', 'every weekend'],
  subdue: ['business hours', 'office hours', 'working hours', 'out of hours', 'quiet hours', 'night'],
  // On call
  acknowledge: ['ack', 'take ownership'],
  ack: ['acknowledge'],
  'hand over': ['hand off', 'handoff', 'handover', 'shift', 'on-call', 'oncall'],
  'on-call schedule': ['who is on call', 'rota', 'rotation', 'roster', 'override', 'on-call', 'oncall'],
  escalation: ['escalation policy', 'escalation chain', 'notify the next person'],
  sms: ['text message', 'phone call', 'telephone'],
  report: ['mttr', 'postmortem'],
  'event availability': ['slo', 'sla', 'sli', 'uptime', 'error budget', 'service level'],
  // Notifications
  notification: ['notify', 'alert', 'page'],
  handler: ['notify', 'receiver', 'contact point', 'integration', 'contact', 'channel', 'remediation'],
  'not notified': ['nobody was paged', 'no notification', 'missing notification'],
  repeat: ['renotify', 'reminder', 'repeat interval'],
  inhibition: ['dependency', 'parent', 'root cause', 'unreachable'],
  group: ['digest', 'batch', 'alert storm', 'noise', 'deduplicate', 'correlate'],
  udp: ['syslog', 'snmp trap'],
  slack: ['mattermost', 'rocket chat'],
  mail: ['email', 'e-mail', 'smtp'],
  email: ['mail', 'e-mail', 'smtp'],
  // Checks and clients
  'write check': ['add check', 'create check', 'new check', 'custom check', 'own check'],
  check: ['probe', 'monitor', 'alert rule', 'alerting rule'],
  client: ['host', 'server', 'node', 'entity', 'machine'],
  agent: ['add host', 'exporter'],
  'nagios plugin': ['plugin', 'monitoring plugin', 'nrpe', 'icinga'],
  ttl: ['heartbeat', 'deadman', 'dead man', 'watchdog', 'cron job', 'passive check', 'freshness'],
  "dead man's switch": ['heartbeat', 'deadman', 'dead man', 'dead man switch', 'watchdog', 'snitch', 'healthcheck'],
  keepalive: ['heartbeat', 'host down', 'host alive'],
  'flap detection': ['flap', 'bouncing'],
  'proxy check': ['snmp', 'agentless', 'network device', 'switch', 'router'],
  subscription: ['host group', 'hostgroup', 'tag'],
  // Access
  'audit trail': ['audit log', 'who changed', 'history of changes'],
  role: ['rbac', 'permission', 'privilege', 'authorization', 'acl'],
  'api key': ['access token', 'service account', 'bearer'],
  'single sign-on': [
    'sso',
    'openid',
    'openid connect',
    'device flow',
    'entra',
    'azure ad',
    'ldap',
    'active directory',
    'oidc',
    'oauth',
    'saml',
    'keycloak',
    'okta',
    'kerberos',
  ],
  'access control': ['login', 'auth', 'authentication', 'password', 'add user', 'team access'],
  tls: ['https', 'ssl', 'certificate', 'mtls'],
  // Installation and operation
  tutorial: ['quickstart', 'quick start', 'getting started', 'get started', 'first steps', 'hello world'],
  install: ['download', 'setup', 'deb', 'rpm', 'apt'],
  'install remove': ['uninstall', 'deinstall', 'purge'],
  container: ['docker', 'podman', 'oci', 'container image', 'image', 'dockerfile', 'compose'],
  kubernetes: ['k8s', 'helm', 'openshift', 'pod', 'container'],
  ansible: ['terraform', 'puppet', 'chef', 'configuration management', 'infrastructure as code', 'gitops'],
  'high availability': ['ha', 'failover', 'cluster', 'redundancy', 'replication', 'fault tolerance', 'leader'],
  size: ['capacity', 'hardware requirements', 'system requirements', 'scale', 'scaling', 'memory usage'],
  harden: ['security', 'secure', 'cve'],
  retention: ['history length', 'keep data', 'purge data'],
  restore: ['disaster recovery', 'recover'],
  backup: ['back up', 'disaster recovery', 'dump', 'export'],
  'back up': ['backup'],
  postgresql: ['postgres', 'database'],
  upgrade: ['update', 'new version'],
  'roll back': ['downgrade', 'rollback'],
  troubleshoot: ['debug', 'not working', 'diagnose', 'broken'],
  'monitor mon': ['self monitoring', 'meta monitoring', 'who watches the watchman'],
  metrics: ['statsd', 'time series', 'telemetry', 'measurement'],
  opentelemetry: ['otel', 'otlp'],
  dashboard: ['gui', 'web interface'],
  log: ['journald'],
  // Explanations
  glossary: ['terminology', 'definition', 'vocabulary'],
  'frequently asked questions': ['faq', 'question'],
  comparison: ['alternative', 'versus', 'vs', 'compare'],
  'error code': ['error message', 'status code'],
};

/**
 * Returns the search terms for the same thing by what readers type.
 *
 * @param stemsOf returns the stems of the words of a text, joined by spaces
 */
export function meaningsOf(stemsOf: (text: string) => string): ReadonlyMap<string, readonly string[]> {
  const meanings = new Map<string, readonly string[]>();
  for (const [meaning, synonyms] of Object.entries(SYNONYMS)) {
    for (const synonym of synonyms.map(stemsOf)) {
      meanings.set(synonym, [...(meanings.get(synonym) ?? []), meaning]);
    }
  }
  return meanings;
}
