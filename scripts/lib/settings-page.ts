import {
  agentSettingsSchema,
  CLIENT_VARIABLES,
  PROGRAM_VARIABLES as AGENT_VARIABLES,
} from '../../daemon/agent/agent-settings.ts';
import { AGENT_HELP_TEXT as AGENT_HELP } from '../../daemon/agent/help.ts';
import { BACKEND_HELP_TEXT as BACKEND_HELP } from '../../daemon/backend/arguments.ts';
import { PROGRAM_VARIABLES, TLS_VARIABLES } from '../../daemon/backend/config/read-environment.ts';
import { NEEDS_RESTART } from '../../daemon/backend/config/reload.ts';
import { schemaOf } from '../../shared/api/openapi.ts';
import { apiSettingsSchema, programSettingsSchema } from '../../shared/schemas/settings.ts';
import { inlineCode, markdownTable } from './markdown-text.ts';
import { valueText, type JsonSchema } from './value-text.ts';

/** A group of settings on the page: a section of a configuration file, or its top level. */
interface SettingsSection {
  readonly schema: JsonSchema;
  /** Prefix of the section's settings in `variables`, such as `api.`. */
  readonly path: string;
  readonly help: string;
  readonly variables: Readonly<Record<string, string>>;
}

const BACKEND_VARIABLES = {
  ...prefixVariables('', PROGRAM_VARIABLES),
  ...prefixVariables('tls.', TLS_VARIABLES),
  'api.bind': 'MON_BIND',
  'api.port': 'MON_PORT',
};

/** Prefixes of the sections whose settings are also command-line flags. */
const FLAGGED_SECTIONS: ReadonlySet<string> = new Set(['', 'api.', 'tls.']);

/** Text that is printed before the table of a section. */
const SECTION_INTRODUCTIONS: Readonly<Record<string, string>> = {
  tls: '\n\nThe TLS settings of all listeners: see [TLS](tls.md). `api`, `v2-listener` and `agent-listener` can have their own `tls`.',
};

/** Returns the text of `docs/settings.md`, generated from the schemas of the configuration. */
export function settingsPage(): string {
  const program = schemaOf(programSettingsSchema);
  const ofBackend = (schema: JsonSchema | undefined, path: string): string =>
    settingsTable({
      schema: schema ?? {},
      path,
      help: FLAGGED_SECTIONS.has(path) ? BACKEND_HELP : '',
      variables: BACKEND_VARIABLES,
    });
  return [
    '# Settings',
    '<!-- `node scripts/print-pages.ts` generates this page from the schemas of the settings. Change the schemas. -->',
    '[Configuration](configuration.md) describes how files, variables and flags are merged, and how checks and handlers are' +
      ' defined. [examples/backend.yml](../examples/backend.yml) contains every setting. ¹: needs a restart. Changes to all' +
      ' other settings apply from the next [reload](configuration.md#reload).',
    '## The backend',
    'These settings are at the top level of the configuration.',
    ofBackend(program, ''),
    '### `api`',
    'The listener of the API: see [Configuration](configuration.md#api).',
    ofBackend(schemaOf(apiSettingsSchema), 'api.'),
    ...Object.entries(program.properties ?? {})
      .filter(([, { properties }]) => properties !== undefined)
      .map(
        ([name, section]) => `### \`${name}\`${SECTION_INTRODUCTIONS[name] ?? ''}\n\n${ofBackend(section, `${name}.`)}`,
      ),
    '## The agent',
    'These settings are in the section `agent`: see [Agent](agent.md). The section `client` describes the machine.',
    settingsTable({
      schema: schemaOf(agentSettingsSchema),
      path: 'agent.',
      help: AGENT_HELP,
      variables: { ...prefixVariables('agent.', AGENT_VARIABLES), 'agent.api-key': 'MON_API_KEY' },
    }),
    `Some attributes of \`client\` can also be set like this: ${Object.entries(CLIENT_VARIABLES)
      .map(([variable, setting]) => `\`${setting}\` (\`--${setting}\`, \`${variable}\`)`)
      .join(', ')}. [Client attributes](reference/clients.md) lists all of them.`,
    '',
  ].join('\n\n');
}

function settingsTable({ schema, path, help, variables }: SettingsSection): string {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, setting]) => {
    const mark = NEEDS_RESTART.test(`${path}${name}`) && path !== 'agent.' ? ' ¹' : '';
    const flag = new RegExp(`--${name}[ ,]`).test(help) ? [`--${name}`] : [];
    const variable = variables[`${path}${name}`];
    const ways = [...flag, ...(variable === undefined ? [] : [variable])].map((way) => inlineCode(way));
    const value = setting.properties === undefined ? valueText(setting) : `see [below](#${name})`;
    return [
      `${inlineCode(name)}${mark}`,
      setting.description ?? '',
      value,
      defaultText(setting, required.has(name)),
      ways.join(', '),
    ];
  });
  return markdownTable([['Setting', 'Description', 'Value', 'Default', 'Also'], ...rows]);
}

function defaultText(setting: JsonSchema, isRequired: boolean): string {
  if (isRequired) return 'required';
  const { default: value } = setting;
  if (value === undefined || setting.properties !== undefined) return 'none';
  return inlineCode(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns a map from each setting, with the prefix `path`, to its environment variable. */
function prefixVariables(path: string, variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).map(([variable, setting]) => [`${path}${setting}`, variable]));
}
