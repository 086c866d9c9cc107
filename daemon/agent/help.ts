import { LOG_LEVELS } from '../../shared/schemas/settings.ts';

/** The help text of `mon-agent --help`, without its first line. */
export const AGENT_HELP_TEXT = `
Usage
  mon-agent start [options]   run the agent until it is stopped
  mon-agent version           print the version

Options
  --backend URL               backend URL; default http://127.0.0.1:4567. Separate several URLs with commas: each agent
                              tries the URLs in random order, and the next URL if the connection is lost
  --namespace NAME            namespace that this client belongs to; default: "default"
  --name NAME                 name of this client; default: the host name
  --address ADDRESS           address of this client; default: the first IPv4 address of the host
  --subscriptions A,B         subscriptions of this client; client:NAME is always added
  --state-dir DIR             spool directory with unsent results; default var/agent (installed: /var/lib/mon-agent)
  -c, --config FILE           main configuration file: "agent", "client" and "checks"
                              (JSON, or YAML when it ends in .yml or .yaml)
  -d, --config-dir DIR,DIR    directories with more configuration files (*.json, *.yml, *.yaml). Default of an installed
                              package: /etc/mon/agent.yml and /etc/mon/agent.d, unless -c or -d is set
  --trusted-ca-file FILE      verify the backend certificate with these CA certificates (PEM)
  --insecure-skip-tls-verify  do not verify the certificate of the backend (testing only)
  --cert-file, --key-file FILE
                              client certificate (PEM) of this agent, and its private key (mode 0600)
  --max-checks N              maximum number of checks that run at once; default 12
  -l, --log FILE              write the log to a file instead of standard output
  -L, --log-level LEVEL       ${LOG_LEVELS.join(', ')}; default info

Environment (overridden by configuration files)
  MON_AGENT_BACKEND, MON_AGENT_NAMESPACE, MON_AGENT_NAME, MON_AGENT_ADDRESS, MON_AGENT_SUBSCRIPTIONS,
  MON_AGENT_STATE_DIR, MON_AGENT_MAX_CHECKS, MON_AGENT_LOG, MON_AGENT_LOG_LEVEL, MON_AGENT_TRUSTED_CA_FILE,
  MON_AGENT_INSECURE_SKIP_TLS_VERIFY (true or false), MON_AGENT_CERT_FILE, MON_AGENT_KEY_FILE
  MON_API_KEY                 API key for the backend with the scope "submit"
  MON_AGENT_API_KEY_FILE      file with the API key, mode 0600
  MON_AGENT_CREDENTIALS       user:password for the backend; safer than credentials in the URL,
                              which other users of this host can see

Signals
  TERM, INT  stop, but let running checks finish for some seconds; a second signal stops at once
  HUP        reload the configuration, except for the setting "log"

Exit codes: 0 stopped by a signal, 1 failure, 2 invalid usage or definitions, or state directory in use

Examples
  mon-agent start --backend http://mon.example.org:4567 --subscriptions web,all -d /etc/mon/conf.d
  mon-agent start -c /etc/mon/agent.yml
  mon-agent start --backend https://mon.example.org:4567 --trusted-ca-file /etc/mon/ca.pem
`;
