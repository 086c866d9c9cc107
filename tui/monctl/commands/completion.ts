import { MonError } from '../../../shared/errors.ts';
import type { Command } from '../command.ts';
import { COMPLETION_SCRIPTS } from '../completion-scripts.ts';

const SHELL_NAMES = Object.keys(COMPLETION_SCRIPTS);

export const completionCommand: Command = {
  words: ['completion'],
  summary: 'Print a shell completion script',
  details: [
    `SHELL is ${SHELL_NAMES.join(', ')}. Names of objects are completed from the backend of --backend or MON_BACKEND.`,
    'bash: source <(monctl completion bash), in ~/.bashrc',
    'zsh:  source <(monctl completion zsh), in ~/.zshrc after compinit',
    'fish: monctl completion fish > ~/.config/fish/completions/monctl.fish',
  ],
  operands: ['SHELL'],
  completes: [SHELL_NAMES],
  options: {},
  isLocal: true,
  examples: [['source <(monctl completion bash)', 'for this shell']],
  async run({ operands: [shell = ''], output }) {
    const script = Object.hasOwn(COMPLETION_SCRIPTS, shell) ? COMPLETION_SCRIPTS[shell] : undefined;
    if (script === undefined) {
      throw new MonError('invalid', `SHELL must be ${SHELL_NAMES.join(', ')}, not ${JSON.stringify(shell)}`);
    }
    await output.show({ shell, script }, () => script.trimEnd());
  },
};
