import { entityWarning } from '../../shared/domain/entity-limit.ts';
import type { FeedStats } from '../../shared/schemas/feed.ts';
import { countText } from '../count-text.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../theme.ts';

/** The line under the tall header: a rule, which carries the warning of a limit of entities that is nearly reached. */
export function headerRule(stats: FeedStats | undefined, columns: number): readonly Run[] {
  const warning = stats?.entities === undefined ? undefined : entityWarning(stats.entities);
  if (warning === undefined) return [run('─'.repeat(columns), 'faint')];
  const short = shortText(stats);
  const text = [
    ` ${warning} (entity_limit) `,
    ` ${short}: beyond entity_limit new ones are refused `,
    ` ${short} `,
  ].find((one) => cellWidth(one) <= columns - 4);
  if (text === undefined) return [run('─'.repeat(columns), 'faint')];
  return [run('──', 'faint'), run(text, 'warning'), run('─'.repeat(columns - 2 - cellWidth(text)), 'faint')];
}

/** The same in a few cells, for headers of one row. */
export function entityRuns(stats: FeedStats | undefined): readonly Run[] {
  const isNear = stats?.entities !== undefined && entityWarning(stats.entities) !== undefined;
  return isNear ? [run(`  ${shortText(stats)}`, 'warning')] : [];
}

function shortText(stats: FeedStats | undefined): string {
  const { total = 0, limit = 0 } = stats?.entities ?? {};
  return `${countText(total)}/${limit === 'unlimited' ? limit : countText(limit)} entities`;
}
