import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS_MAX } from '../../daemon/backend/access/api-keys.ts';
import { SESSIONS_OF_USER_MAX } from '../../daemon/backend/access/sessions.ts';
import { USERS_MAX } from '../../daemon/backend/access/users.ts';
import { DEFINITIONS_MAX } from '../../daemon/backend/definitions/commands.ts';
import { DeadLetterIndex } from '../../daemon/backend/notify/delivery/dead-letter-index.ts';
import { NAMESPACES_MAX } from '../../daemon/backend/namespaces/commands.ts';
import { TRANSITIONS_MAX } from '../../daemon/backend/report/gather.ts';
import { SELECTORS_COST_MAX } from '../../daemon/backend/model/silences/selector-budget.ts';
import { STASHES_MAX } from '../../daemon/backend/stashes/commands.ts';
import { EXAMINED_MAX } from '../../daemon/backend/timeline/queries.ts';
import { BODY_BYTES_MAX, HEADER_BYTES_MAX, URL_LENGTH_MAX } from '../../daemon/backend/http/limits.ts';
import { OBJECT_NAMES_MAX, TEXT_LENGTH_MAX, BODY_VALUES_MAX } from '../../shared/domain/json-chunks.ts';
import { DEPTH_MAX } from '../../shared/domain/json-text.ts';
import { POINTS_MAX } from '../../shared/domain/metrics/point.ts';
import { OUTPUT_BYTES_MAX } from '../../daemon/command/run-command.ts';
import { NAME_LENGTH_MAX } from '../../shared/schemas/name.ts';
import { ATTRIBUTE_LIMITS, SILENCES_MAX } from '../../shared/schemas/fixed-limits.ts';

const DOCS = join(import.meta.dirname, '../../docs');

const SECURITY = 'spec/security.md';
const MIB = 1024 * 1024;

/** Formats a number as the pages do, with commas between thousands. */
function formatLimit(limit: number): string {
  return limit.toLocaleString('en-US');
}

// The pages must state the limits as the code defines them. Most of these limits are too large for a test to reach.
test.each<readonly [page: string, words: string]>([
  [
    'operations.md',
    `${formatLimit(NAMESPACES_MAX)} namespaces, ${formatLimit(USERS_MAX)} users and ${formatLimit(KEYS_MAX)} API keys`,
  ],
  ['operations.md', `${formatLimit(DEFINITIONS_MAX)} definitions of each kind`],
  ['operations.md', `${formatLimit(STASHES_MAX)} stashes in a namespace, and ${formatLimit(SILENCES_MAX)} silences`],
  ['operations.md', `${formatLimit(new DeadLetterIndex().limit)} dead letters`],
  ['handlers.md', `stores at most ${formatLimit(new DeadLetterIndex().limit)} dead letters`],
  ['access.md', `keeps up to ${formatLimit(SESSIONS_OF_USER_MAX)} sessions of one user`],
  ['spec/timeline.md', `a search examines at most ${formatLimit(EXAMINED_MAX)}`],
  ['spec/report.md', `A report examines at most ${formatLimit(TRANSITIONS_MAX)} transitions`],
  ['spec/prometheus.md', `at most ${formatLimit(POINTS_MAX)} points of one output`],
  [SECURITY, `selectors have a budget for each namespace (a cost of ${formatLimit(SELECTORS_COST_MAX)}`],
  [
    SECURITY,
    `(at most ${formatLimit(BODY_VALUES_MAX)} values, ${formatLimit(OBJECT_NAMES_MAX)} names in a long object)`,
  ],
  [SECURITY, `body ${formatLimit(BODY_BYTES_MAX / MIB)} MiB`],
  [SECURITY, `header ${formatLimit(HEADER_BYTES_MAX / 1024)} KiB, URL ${formatLimit(URL_LENGTH_MAX / 1024)} KiB`],
  [SECURITY, `JSON depth ${formatLimit(DEPTH_MAX)}, keys per object ${formatLimit(ATTRIBUTE_LIMITS.keys)}`],
  [SECURITY, `string ${formatLimit(TEXT_LENGTH_MAX / MIB)} MiB, output ${formatLimit(OUTPUT_BYTES_MAX / 1024)} KiB`],
  [SECURITY, `names ${formatLimit(NAME_LENGTH_MAX)}`],
  [
    SECURITY,
    `silences ${formatLimit(SILENCES_MAX)}, custom attributes ${formatLimit(ATTRIBUTE_LIMITS.bytes / 1024)} KiB`,
  ],
])('the page docs/%s states the limit that the code enforces: %s', async (page, words) => {
  const text = (await readFile(join(DOCS, page), 'utf8')).replaceAll(/\s+/g, ' ');
  expect(text).toContain(words);
});
