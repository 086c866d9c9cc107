import { SystemClock } from '../../daemon/clock/system-clock.ts';
import type { Clock } from '../../daemon/backend/ports.ts';
import type { CommandDependencies, UpgradeFlags } from '../../daemon/backend/store/upgrade/upgrade-command.ts';
import { upgradeDirectory } from '../../daemon/backend/store/upgrade/upgrade-directory.ts';
import { backendAddress } from '../../shared/client/local-access.ts';
import { RecordedLog } from './recorded-log.ts';

/** The flags of `mon-backend upgrade` when no option is given. */
export const FLAGS: UpgradeFlags = { skipConfirm: false, dryRun: false, timeout: undefined, backup: {} };

/**
 * The environment of a command: an operator who answers each question in the same way, a log, and the printed lines.
 */
export interface CommandRig extends CommandDependencies {
  readonly log: RecordedLog;
  readonly questions: string[];
  readonly printed: string[];
}

export function commandRig({
  answer = true,
  clock = new SystemClock(),
}: { answer?: boolean; clock?: Clock } = {}): CommandRig {
  const questions: string[] = [];
  const printed: string[] = [];
  return {
    clock,
    log: new RecordedLog(),
    ask: async (question) => {
      questions.push(question);
      return answer;
    },
    print: (text) => printed.push(text),
    stop: new AbortController(),
    questions,
    printed,
  };
}

/** Runs `mon-backend upgrade` on a state directory, with the default address of the backend. */
export async function upgradeDir(dir: string, flags: UpgradeFlags, parts: CommandDependencies): Promise<void> {
  await upgradeDirectory(dir, flags, parts, backendAddress);
}

/**
 * Returns the log records as level, message and fields. Fields that describe a backup are omitted, because they differ
 * in each run.
 */
export function loggedRecords({ records }: RecordedLog): unknown[] {
  return records.map(
    ({ level, message, fields: { backup: _place, entries: _entries, bytes: _bytes, sha256: _sha256, ...fields } }) => [
      level,
      message,
      fields,
    ],
  );
}
