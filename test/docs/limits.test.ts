import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { KEYS_MAX } from '../../daemon/backend/access/api-keys.ts';
import { SESSIONS_OF_USER_MAX } from '../../daemon/backend/access/sessions.ts';
import { USERS_MAX } from '../../daemon/backend/access/users.ts';
import { DEFINITIONS_MAX } from '../../daemon/backend/definitions/write.ts';
import { LetterBox } from '../../daemon/backend/handlers/letter-box.ts';
import { NAMESPACES_MAX } from '../../daemon/backend/namespaces/write.ts';
import { TRANSITIONS_MAX } from '../../daemon/backend/report/gather.ts';
import { SELECTORS_COST_MAX } from '../../daemon/backend/silences/selector-budget.ts';
import { STASHES_MAX } from '../../daemon/backend/stashes/write.ts';
import { EXAMINED_MAX } from '../../daemon/backend/timeline/read.ts';
import { SILENCES_MAX } from '../../shared/schemas/settings.ts';

const DOCS = join(import.meta.dirname, '../../docs');

/** Limits that are too large to be reached by a test, and the words of the page that names each. */
test.each<{ readonly page: string; readonly limit: number; readonly says: string }>([
  { page: 'operations.md', limit: NAMESPACES_MAX, says: 'N namespaces' },
  { page: 'operations.md', limit: USERS_MAX, says: 'N users' },
  { page: 'operations.md', limit: KEYS_MAX, says: 'N API keys' },
  { page: 'operations.md', limit: DEFINITIONS_MAX, says: 'N definitions of each kind' },
  { page: 'operations.md', limit: STASHES_MAX, says: 'N stashes' },
  { page: 'operations.md', limit: SILENCES_MAX, says: 'N silences' },
  { page: 'operations.md', limit: new LetterBox().limit, says: 'N dead letters' },
  { page: 'handlers.md', limit: new LetterBox().limit, says: 'At most N are kept; then the oldest go' },
  { page: 'access.md', limit: SESSIONS_OF_USER_MAX, says: 'N log-ins of one user are kept' },
  { page: 'spec/timeline.md', limit: EXAMINED_MAX, says: 'one that is searched for looks at N' },
  { page: 'spec/report.md', limit: TRANSITIONS_MAX, says: 'A report looks at N transitions' },
  {
    page: 'spec/security.md',
    limit: SELECTORS_COST_MAX,
    says: 'selectors have a budget for each namespace (a cost of N)',
  },
])('$page names the limit that the code has: $says', async ({ page, limit, says }) => {
  const text = (await readFile(join(DOCS, page), 'utf8')).replaceAll(/\s+/g, ' ');
  const number =
    page === 'spec/security.md' ? String(limit).replaceAll(/\B(?=(?:\d{3})+$)/g, ' ') : limit.toLocaleString('en-US');
  expect(text).toContain(says.replace('N', number));
});
