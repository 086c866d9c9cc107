import {
  agentSettingsSchema,
  CLIENT_VARIABLES,
  PROGRAM_VARIABLES as AGENT_VARIABLES,
} from '../../daemon/agent/agent-settings.ts';
import { HELP as AGENT_HELP } from '../../daemon/agent/help.ts';
import { HELP as BACKEND_HELP } from '../../daemon/backend/arguments.ts';
import { PROGRAM_VARIABLES, TLS_VARIABLES } from '../../daemon/backend/config/read-environment.ts';
import { NEEDS_RESTART } from '../../daemon/backend/config/reload.ts';
import { schemaOf } from '../../shared/api/openapi.ts';
import { apiSettingsSchema, programSettingsSchema } from '../../shared/schemas/settings.ts';
import { code, table } from './markdown-text.ts';
import { valueText, type JsonSchema } from './value-text.ts';

/** Related settings: a section of a configuration, or its top level. */
interface Section {
  readonly schema: JsonSchema;
  /** Prefix of the settings' names in the look-up tables: `api.`. */
  readonly path: string;
  readonly help: string;
  readonly variables: Readonly<Record<string, string>>;
}

const BACKEND_VARIABLES = {
  ...under('', PROGRAM_VARIABLES),
  ...under('tls.', TLS_VARIABLES),
  'api.bind': 'MON_BIND',
  'api.port': 'MON_PORT',
};

/** Sections whose settings are also flags. */
const FLAGGED: ReadonlySet<string> = new Set(['', 'api.', 'tls.']);

/** The text before the table of a section. */
const INTRODUCTIONS: Readonly<Record<string, string>> = {
  tls: '\n\nOf every listener, see [tls.md](tls.md). `api`, `core-api` and `agent-listener` may have a `tls` of their own.',
};

/** Returns the text of `docs/settings.md` from the schemas that validate a configuration. */
export function settingsPage(): string {
  const program = schemaOf(programSettingsSchema);
  const ofBackend = (schema: JsonSchema | undefined, path: string): string =>
    settingsTable({
      schema: schema ?? {},
      path,
      help: FLAGGED.has(path) ? BACKEND_HELP : '',
      variables: BACKEND_VARIABLES,
    });
  return [
    '# Settings',
    'Printed from the schemas that a configuration is held to by `node scripts/print-pages.ts`: change those, and print this page again.',
    'How files, variables and flags are put together, and what definitions of checks and handlers hold, is in' +
      ' [configuration.md](configuration.md); [examples/backend.yml](../examples/backend.yml) shows all of it in one file. ¹: read at' +
      ' the start only; all else counts from the next [reload](configuration.md#reload) on.',
    '## The backend',
    'At the top level of the configuration.',
    ofBackend(program, ''),
    '### `api`',
    'How the API listens, see [configuration.md](configuration.md#api).',
    ofBackend(schemaOf(apiSettingsSchema), 'api.'),
    ...Object.entries(program.properties ?? {})
      .filter(([, { properties }]) => properties !== undefined)
      .map(([name, section]) => `### \`${name}\`${INTRODUCTIONS[name] ?? ''}\n\n${ofBackend(section, `${name}.`)}`),
    '## The agent',
    'In the section `agent`, see [agent.md](agent.md). What is in `client` describes the machine.',
    settingsTable({
      schema: schemaOf(agentSettingsSchema),
      path: 'agent.',
      help: AGENT_HELP,
      variables: { ...under('agent.', AGENT_VARIABLES), 'agent.api_key': 'MON_API_KEY' },
    }),
    `Of \`client\`: ${Object.entries(CLIENT_VARIABLES)
      .map(([variable, setting]) => `\`${setting}\` (\`--${setting}\`, \`${variable}\`)`)
      .join(', ')}, and more in [agent.md](agent.md#the-client).`,
    '',
  ].join('\n\n');
}

function settingsTable({ schema, path, help, variables }: Section): string {
  const required = new Set(schema.required ?? []);
  const rows = Object.entries(schema.properties ?? {}).map(([name, setting]) => {
    const mark = NEEDS_RESTART.test(`${path}${name}`) && path !== 'agent.' ? ' ¹' : '';
    const flag = new RegExp(`--${name}[ ,]`).test(help) ? [`--${name}`] : [];
    const variable = variables[`${path}${name}`];
    const ways = [...flag, ...(variable === undefined ? [] : [variable])].map((way) => code(way));
    const value = setting.properties === undefined ? valueText(setting) : `see [below](#${name})`;
    return [
      `${code(name)}${mark}`,
      setting.description ?? '',
      value,
      defaultText(setting, required.has(name)),
      ways.join(', '),
    ];
  });
  return table([['Setting', 'Is', 'Value', 'Default', 'Also'], ...rows]);
}

function defaultText(setting: JsonSchema, isRequired: boolean): string {
  if (isRequired) return 'required';
  const { default: value } = setting;
  if (value === undefined || setting.properties !== undefined) return 'none';
  return code(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Returns the variables by the setting that they set. */
function under(path: string, variables: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(variables).map(([variable, setting]) => [`${path}${setting}`, variable]));
}
