import { VERSION } from '../../../shared/schemas/version.ts';
import type { Command } from '../command.ts';
import { record } from '../table.ts';

export const versionCommand: Command = {
  words: ['version'],
  summary: 'Show the versions of monctl and of the backend',
  details: ['`monctl --version` asks no backend.'],
  operands: [],
  options: {},
  examples: [['monctl version --output json', 'for a program']],
  async run({ api, output }) {
    const backend = api();
    const asked = await backend.info().then(
      ({ mon, sensu }) => ({ version: mon?.version ?? null, compatible: sensu.version }),
      (failure: unknown) => ({ failure }),
    );
    const answered = 'failure' in asked ? { version: null, compatible: null } : asked;
    await output.show({ monctl: VERSION, backend: { url: backend.url, ...answered } }, () =>
      record(
        [
          ['monctl', VERSION],
          ['backend', `${backendText(answered)} at ${backend.url}`],
        ],
        output.look,
      ),
    );
    // Our own version is known all the same, and has been said.
    if ('failure' in asked) throw asked.failure;
  },
};

function backendText({
  version,
  compatible,
}: {
  readonly version: string | null;
  readonly compatible: string | null;
}): string {
  if (compatible === null) return 'unknown';
  // A backend of another make answers the legacy API too, and has no version of ours.
  return `${version ?? 'of another make'} (API level ${compatible})`;
}
