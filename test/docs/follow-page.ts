import { expect, vi } from 'vitest';
import { readAgentConfig as loadAgentConfig } from '../../daemon/agent/load-config.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import type { DocumentedShell } from '../support/documented-shell.ts';
import { PATIENCE } from '../support/patience.ts';
import { blocksOf, fileOf, type Block } from './blocks.ts';

/** The reasons why a block of a page is not executed, by the value of `untested=` on its first line. */
export const UNTESTED: Readonly<Record<string, string>> = {
  nginx: 'tests bring none: a proxy of theirs stands in its place (test/support/prefix-proxy.ts)',
  ansible: 'needs Ansible and hosts, and the page says that it was not tested',
  caddy: 'tests bring none, and the configuration says that it was not tested',
  container: 'needs a container engine or a Kubernetes cluster, and the page says that it was not tested',
  peer: 'a command of the service that one comes from',
  prometheus: 'a configuration of Prometheus or Alertmanager',
  postgres: 'a configuration or a command of PostgreSQL',
  system: 'changes the machine: packages, services, users',
  traefik: 'tests bring none, and the configuration says that it was not tested',
};

/** Callback that runs the command of a full-screen program and checks that the screen shows these texts. */
export type OnScreen = (command: string, shown: readonly string[]) => Promise<void>;

/**
 * Executes a page from its first block to its last: writes the files, validates configurations with the programs, runs
 * the commands, and compares their output with the documented output.
 *
 * @returns the number of executed blocks
 */
export async function followPage(page: string, shell: DocumentedShell, onScreen?: OnScreen): Promise<number> {
  const blocks = blocksOf(page);
  let done = 0;
  for (const [index, block] of blocks.entries()) {
    const { language, attributes, text } = block;
    if (attributes['untested'] !== undefined) continue;
    done++;
    const next = blocks[index + 1];
    const isAnswered = next !== undefined && isOutput(next) && next.attributes['untested'] === undefined;
    const expected = isAnswered ? next.text.split('\n') : [];
    if (language === 'sh' && 'screen' in attributes) await onScreen?.(text, expected);
    else if (language === 'sh') await runBlock(block, expected, shell);
    else if (fileOf(block) !== undefined) await writeBlock(block, shell);
  }
  return done;
}

/** Whether the block shows the output of the command before it. */
export function isOutput(block: Block): boolean {
  return block.language === 'text' || (block.language === 'json' && fileOf(block) === undefined);
}

/**
 * Runs a block and compares its exit code and output. A block with output is repeated until the expected output
 * appears.
 */
async function runBlock(
  { line, attributes, text }: Block,
  expected: readonly string[],
  shell: DocumentedShell,
): Promise<void> {
  const code = Number(attributes['exit'] ?? 0);
  const look = async (): Promise<void> => {
    const result = await shell.run(text);
    const missing = missingLine(expected, result.output);
    if (result.code === code && missing === undefined) return;
    const lack = missing === undefined ? `ends with ${String(result.code)}` : `does not print: ${missing}`;
    throw new Error(`line ${String(line)} ${lack}\n${text}\n${result.output}`);
  };
  // A block without expected output runs only once, because it may change something. Others are repeated after a pause,
  // because each run starts one or two programs.
  await (expected.length === 0 ? look() : vi.waitFor(look, { ...PATIENCE, interval: 250 }));
}

async function writeBlock(block: Block, shell: DocumentedShell): Promise<void> {
  const path = await shell.write(fileOf(block) ?? '', block.text);
  if (/^agent:/m.test(block.text)) await loadAgentConfig({ file: path, directories: [], env: {}, flags: {} });
  else expect((await loadConfig({ file: path, directories: [], env: {} })).warnings).toEqual([]);
}

/**
 * Returns the first expected line that is missing in the output; `undefined` if there is none. The lines, and the words
 * of a line, must be in order, but other lines and words may be between them. `...` stands for any text.
 */
export function missingLine(expected: readonly string[], output: string): string | undefined {
  const lines = output.split('\n');
  let at = 0;
  for (const line of expected) {
    const found = lines.findIndex((outputLine, index) => index >= at && hasWords(outputLine, line));
    if (found === -1) return line;
    at = found + 1;
  }
  return undefined;
}

function hasWords(outputLine: string, line: string): boolean {
  let at = 0;
  for (const word of line.split(/\s+/).filter((one) => one !== '' && one !== '...')) {
    const found = outputLine.indexOf(word, at);
    if (found === -1) return false;
    at = found + word.length;
  }
  return true;
}
