import { ALERTMANAGER_API } from '../../shared/api/alertmanager.ts';
import { COMMON_ERRORS, type Endpoint } from '../../shared/api/endpoint.ts';
import { HTTP_STATUS } from '../../shared/api/errors.ts';
import { isRequired, schemaOf, scopeText } from '../../shared/api/openapi.ts';
import { MON_API } from '../../shared/api/mon.ts';
import { V1_API } from '../../shared/api/v1.ts';
import { V2_API, V2_HEALTH } from '../../shared/api/v2.ts';
import { fenced, table } from './markdown-text.ts';
import { shapeText } from './shape-text.ts';

/** `docs/api.md`, from the table of endpoints. */
export function apiPage(): string {
  const codes = COMMON_ERRORS.map((code) => `\`${code}\` (${String(HTTP_STATUS[code])})`).join(', ');
  return [
    '# The API of mon',
    'Printed from `mon.ts`, `v1.ts`, `v2.ts` and `alertmanager.ts` of `shared/api` by `node scripts/print-pages.ts`: change those tables, and print this page again.',
    'The routes of `mon` itself as OpenAPI 3.1 are at `GET /api/mon/v1/openapi.json` of every backend. The live feed is in [feed.md](feed.md),' +
      ' who needs which scope in [access.md](access.md).',
    'Times are epoch seconds; those of audit records and of plans are epoch milliseconds. Names in a path are percent-encoded. Answers may get' +
      ' more attributes: leave alone what you do not know.',
    'Every error answer is `{"error": "...", "code": "..."}`; what the codes mean is in [operations.md](operations.md#error-responses).' +
      ` Everywhere possible: ${codes}.`,
    ...chapterOf('The routes of mon itself', MON_API),
    ...chapterOf('The legacy API', V1_API),
    ...v2Chapter(),
    ...chapterOf('What an Alertmanager has', ALERTMANAGER_API),
    '',
  ].join('\n\n');
}

function chapterOf(title: string, endpoints: Readonly<Record<string, Endpoint>>): readonly string[] {
  const all = Object.values(endpoints);
  return [
    `## ${title}`,
    table([['Endpoint', 'Needs', 'What it does'], ...all.map((one) => rowOf(one))]),
    ...all.flatMap((one) => sectionOf(one)),
  ];
}

/** Its objects are those of the peer, so that there is a table alone. */
function v2Chapter(): readonly string[] {
  const endpoints = Object.values(V2_API).flatMap((group) => Object.values<Endpoint>(group));
  return [
    '## The newer API',
    'What its objects are and where they differ from those of the peer is in [v2-api.md](v2-api.md). Lists are asked with `limit`, `continue`,' +
      ' `labelSelector` and `fieldSelector`. A role may allow what no scope does: the verb of the method, on the kind of objects in the path.' +
      ' An error answer is `{"message": "...", "code": n}`. `GET /health` is on the listener of the newer API alone, where it stands for the one above.',
    table([
      ['Endpoint', 'Needs', 'What it does', 'Errors'],
      ...[...endpoints, V2_HEALTH.health].map((one) => rowOf(one).concat(errorsOf(one))),
    ]),
  ];
}

function errorsOf({ errors }: Endpoint): string {
  return errors.map((code) => `\`${code}\``).join(', ');
}

function rowOf(endpoint: Endpoint): readonly string[] {
  const { method, path, summary } = endpoint;
  return [`\`${method} ${path}\``, scopeText(endpoint), summary];
}

function sectionOf(endpoint: Endpoint): readonly string[] {
  const { method, path, summary, query = {}, body, status, answer, errors } = endpoint;
  const parameters = Object.entries(query).map(([parameter, schema]) => {
    const text = schema.description ?? '';
    return [`\`${parameter}\``, isRequired(schema) ? `${text} (required)` : text];
  });
  return [
    `### ${method} ${path.replace('*', '\\*')}`,
    `${summary}. Needs ${scopeText(endpoint)}.`,
    ...(parameters.length === 0 ? [] : [table([['Query', 'Means'], ...parameters])]),
    ...(body === undefined ? [] : ['The body:', fenced('ts', shapeText(schemaOf(body)))]),
    answer === undefined ? `Answer: ${String(status)}, without a body.` : `Answer: ${String(status)}.`,
    ...(answer === undefined ? [] : [fenced('ts', shapeText(schemaOf(answer)))]),
    ...(errors.length === 0
      ? []
      : [`Errors: ${errors.map((code) => `\`${code}\` (${String(HTTP_STATUS[code])})`).join(', ')}.`]),
  ];
}
