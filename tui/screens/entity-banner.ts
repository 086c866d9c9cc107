import { isNearLimit } from '../../shared/domain/entity-limit.ts';
import type { EntityUsage } from '../../shared/schemas/entity-usage.ts';
import type { FeedStats } from '../../shared/schemas/feed.ts';
import { countText } from '../words/count-text.ts';
import { cellWidth } from '../terminal/cells.ts';
import { run, type Run } from '../text/theme.ts';

/** Returns the horizontal rule under the tall header. It contains a notice if the entity limit is nearly reached. */
export function headerRule(stats: FeedStats | undefined, columns: number): readonly Run[] {
  const usage = nearUsage(stats);
  const text = usage && noticesOf(usage).find((one) => cellWidth(one) <= columns - 4);
  if (text === undefined) return [run('─'.repeat(columns), 'faint')];
  return [run('──', 'faint'), run(text, 'warning'), run('─'.repeat(columns - 2 - cellWidth(text)), 'faint')];
}

/** Returns the number of entities and their limit for a header of one row, if the limit is nearly reached. */
export function entityRuns(stats: FeedStats | undefined): readonly Run[] {
  const usage = nearUsage(stats);
  return usage === undefined ? [] : [run(`  ${shortText(usage)}`, 'warning')];
}

function nearUsage(stats: FeedStats | undefined): EntityUsage | undefined {
  const usage = stats?.entities;
  return usage !== undefined && isNearLimit(usage) ? usage : undefined;
}

/** Returns variants of the notice about the entity limit, the longest first, for different screen widths. */
function noticesOf(usage: EntityUsage): readonly string[] {
  const short = shortText(usage);
  const { total, proxies } = usage;
  return [
    ` ${short} (${countText(total - proxies)} agents, ${countText(proxies)} proxies): new ones are rejected; raise entity-limit `,
    ` ${short}: new ones are rejected; raise entity-limit `,
    ` ${short}: raise entity-limit `,
    ` ${short} `,
  ];
}

function shortText({ total, limit }: EntityUsage): string {
  return `${countText(total)}/${limit === 'unlimited' ? limit : countText(limit)} entities`;
}
