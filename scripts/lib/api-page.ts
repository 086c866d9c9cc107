import { ALERTMANAGER_API } from '../../shared/api/alertmanager.ts';
import { COMMON_ERRORS, type Endpoint } from '../../shared/api/endpoint.ts';
import { HTTP_STATUS } from '../../shared/api/errors.ts';
import { isRequired, schemaOf, scopeText } from '../../shared/api/openapi.ts';
import { MON_API } from '../../shared/api/mon.ts';
import { V1_API } from '../../shared/api/v1.ts';
import { V2_API, V2_HEALTH } from '../../shared/api/v2.ts';
import { fencedBlock, markdownTable } from './markdown-text.ts';
import { shapeText } from './shape-text.ts';

/** Returns the text of `docs/api.md`, generated from the tables of endpoints. */
export function apiPage(): string {
  const codes = COMMON_ERRORS.map((code) => `\`${code}\` (${String(HTTP_STATUS[code])})`).join(', ');
  return [
    '# The API',
    '<!-- `node scripts/print-pages.ts` generates this page from the tables in `shared/api`. Change the tables. -->',
    'Every backend serves an OpenAPI 3.1 document of the mon API at `GET /api/mon/v1/openapi.json`. The live feed is described in' +
      ' [The live feed](feed.md), and the scopes in [Users and keys](access.md).',
    'Times are in epoch seconds; times in audit records and plans are in epoch milliseconds. Percent-encode names in a path.' +
      ' Responses may get more attributes in the future, so ignore unknown ones.',
    'Every error response is `{"error": "...", "code": "..."}`. The codes are explained in [Error codes](reference/errors.md).' +
      ` Any request can return ${codes}.`,
    ...chapterOf('The mon API', MON_API),
    ...chapterOf('The v1 API', V1_API),
    ...v2Chapter(),
    ...chapterOf('What an Alertmanager has', ALERTMANAGER_API),
    '',
  ].join('\n\n');
}

function chapterOf(title: string, endpoints: Readonly<Record<string, Endpoint>>): readonly string[] {
  const all = Object.values(endpoints);
  return [
    `## ${title}`,
    markdownTable([['Endpoint', 'Needs', 'Description'], ...all.map((one) => rowOf(one))]),
    ...all.flatMap((one) => sectionOf(one)),
  ];
}

/** Returns the chapter about the v2 API. It contains only a table, because the objects are those of Sensu Go. */
function v2Chapter(): readonly string[] {
  const endpoints = Object.values(V2_API).flatMap((group) => Object.values<Endpoint>(group));
  return [
    '## The v2 API',
    '[The v2 API](v2-api.md) describes its objects and the differences from Sensu Go. Lists accept `limit`, `continue`,' +
      ' `labelSelector` and `fieldSelector`. A role can allow a request that no scope allows, by its verb and the kind of object in the path.' +
      ' An error response is `{"message": "...", "code": n}`. `GET /health` is served only on the separate v2 listener, where it replaces' +
      ' the `/health` of the v1 API.',
    markdownTable([
      ['Endpoint', 'Needs', 'Description', 'Errors'],
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
  const { method, path, summary, query = {}, body, status, response, errors } = endpoint;
  const parameters = Object.entries(query).map(([parameter, schema]) => {
    const text = schema.description ?? '';
    return [`\`${parameter}\``, isRequired(schema) ? `${text} (required)` : text];
  });
  return [
    `### ${method} ${path.replace('*', '\\*')}`,
    `${summary}. Needs ${scopeText(endpoint)}.`,
    ...(parameters.length === 0 ? [] : [markdownTable([['Parameter', 'Meaning'], ...parameters])]),
    ...(body === undefined ? [] : ['Request body:', fencedBlock('ts', shapeText(schemaOf(body)))]),
    response === undefined ? `Response: ${String(status)}, without a body.` : `Response: ${String(status)}.`,
    ...(response === undefined ? [] : [fencedBlock('ts', shapeText(schemaOf(response)))]),
    ...(errors.length === 0
      ? []
      : [`Errors: ${errors.map((code) => `\`${code}\` (${String(HTTP_STATUS[code])})`).join(', ')}.`]),
  ];
}
