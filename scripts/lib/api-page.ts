import { COMMON_ERRORS, type Endpoint } from '../../shared/api/endpoint.ts';
import { HTTP_STATUS } from '../../shared/api/errors.ts';
import { isRequired, schemaOf, scopeText } from '../../shared/api/openapi.ts';
import { MON_API } from '../../shared/api/mon.ts';
import { shapeText } from './shape-text.ts';

/** `docs/api.md`, from the table of endpoints. */
export function apiPage(): string {
  const endpoints: readonly (readonly [string, Endpoint])[] = Object.entries(MON_API);
  const codes = COMMON_ERRORS.map((code) => `\`${code}\` (${String(HTTP_STATUS[code])})`).join(', ');
  return [
    '# The API of mon',
    'Printed from `shared/api/mon.ts` by `node scripts/print-api.ts`: change that table, and print this page again.',
    'The same as OpenAPI 3.1 is at `GET /api/mon/v1/openapi.json` of every backend. The live feed is in [feed.md](feed.md), the newer API' +
      ' in [v2-api.md](v2-api.md), who needs which scope in [access.md](access.md).',
    'Times are epoch seconds; those of audit records and of plans are epoch milliseconds. Names in a path are percent-encoded. Answers may get' +
      ' more attributes: leave alone what you do not know.',
    'Every error answer is `{"error": "...", "code": "..."}`; what the codes mean is in [operations.md](operations.md#what-an-error-says).' +
      ` Everywhere possible: ${codes}.`,
    '## All of them',
    table([['Endpoint', 'Needs', 'What it does'], ...endpoints.map(([, one]) => rowOf(one))]),
    ...endpoints.flatMap(([name, one]) => sectionOf(name, one)),
    '',
  ].join('\n\n');
}

function rowOf(endpoint: Endpoint): readonly string[] {
  const { method, path, summary } = endpoint;
  return [`\`${method} ${path}\``, scopeText(endpoint), summary];
}

function sectionOf(name: string, endpoint: Endpoint): readonly string[] {
  const { method, path, summary, query = {}, body, status, answer, errors } = endpoint;
  const parameters = Object.entries(query).map(([parameter, schema]) => {
    const text = schema.description ?? '';
    return [`\`${parameter}\``, isRequired(schema) ? `${text} (required)` : text];
  });
  return [
    `## ${name}`,
    `\`${method} ${path}\`: ${summary}. Needs ${scopeText(endpoint)}.`,
    ...(parameters.length === 0 ? [] : [table([['Query', 'Means'], ...parameters])]),
    ...(body === undefined ? [] : ['The body:', fenced(shapeText(schemaOf(body)))]),
    answer === undefined ? `Answer: ${String(status)}, without a body.` : `Answer: ${String(status)}.`,
    ...(answer === undefined ? [] : [fenced(shapeText(schemaOf(answer)))]),
    ...(errors.length === 0
      ? []
      : [`Errors: ${errors.map((code) => `\`${code}\` (${String(HTTP_STATUS[code])})`).join(', ')}.`]),
  ];
}

function table(rows: readonly (readonly string[])[]): string {
  const [head = [], ...rest] = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')));
  return [head, head.map(() => '---'), ...rest].map((row) => `| ${row.join(' | ')} |`).join('\n');
}

function fenced(text: string): string {
  return `\`\`\`ts\n${text}\n\`\`\``;
}
