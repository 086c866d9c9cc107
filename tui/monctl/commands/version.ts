import { switchOption } from '../flags.ts';
import { VERSION } from '../../../shared/schemas/version.ts';
import type { Command } from '../command.ts';
import { recordText, tableText } from '../table.ts';
import { differingVersionsText, versionsOfAll, VERSION_COLUMNS } from '../upgrade/running-versions.ts';

export const versionCommand: Command = {
  words: ['version'],
  summary: 'Show the versions of monctl and the backend',
  details: [
    '"monctl --version" does not contact a backend.',
    'With --all, the command shows the versions of all backends, agents and tools, and names those that differ from the backend.',
  ],
  options: { all: switchOption('also show the versions of agents and tools') },
  examples: [
    ['monctl version --output json', 'as JSON'],
    ['monctl version --all', 'after an upgrade'],
  ],
  async run(call) {
    const { api, output } = call;
    if (call.flags.switch('all') === true) {
      const all = await versionsOfAll(call);
      await output.show(all, () => tableText(VERSION_COLUMNS, all, output.look));
      const others = differingVersionsText(all);
      output.note(others === '' ? 'all agree' : `different from the backend: ${others}`);
      return;
    }
    const backend = api();
    const response = await backend.info().then(
      ({ mon, sensu }) => ({ version: mon?.version ?? null, compatible: sensu.version }),
      (failure: unknown) => ({ failure }),
    );
    const answered = 'failure' in response ? { version: null, compatible: null } : response;
    await output.show({ monctl: VERSION, backend: { url: backend.url, ...answered } }, () =>
      recordText(
        [
          ['monctl', VERSION],
          ['backend', `${backendText(answered)} at ${backend.url}`],
        ],
        output.look,
      ),
    );
    // A failed request is reported last, because the version of monctl is known without a backend.
    if ('failure' in response) throw response.failure;
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
  // Backends other than mon support the v1 API too, but send no mon version.
  return `${version ?? 'not mon'} (API level ${compatible})`;
}
