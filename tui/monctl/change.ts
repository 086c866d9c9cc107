import { buildApiClient, type ApiClient } from '../../shared/client/api-client.ts';
import { buildV2Client, type V2Client } from '../../shared/client/v2-client.ts';
import { requestUrl, type ApiRequest, type Requester } from '../../shared/client/request.ts';
import { safeText } from '../../shared/domain/terminal-text.ts';
import type { CommandCall } from './command.ts';
import { ExitError } from './exit-codes.ts';
import { switchOption, type CommandOption } from './flags.ts';
import { requireRemoved } from './require-existing.ts';
import { EXIT_CODES } from '../words/exit-codes.ts';

/** Options of every command that changes the state of the backend. */
export const CHANGE_OPTIONS: Readonly<Record<'dry-run', CommandOption>> = {
  'dry-run': switchOption('show the requests and their effects, but send nothing'),
};

/** Options of commands whose effect cannot be undone, such as a deletion. */
export const DELETE_OPTIONS: Readonly<Record<'dry-run' | 'skip-confirm', CommandOption>> = {
  ...CHANGE_OPTIONS,
  'skip-confirm': switchOption('do not ask for confirmation (monctl asks only on a terminal)', { short: 'y' }),
};

/** A change to the state of the backend, with the texts for its dry run, confirmation and result. */
export interface BackendChange<Answer> {
  /** Sends the change to the backend. */
  send(api: ApiClient, v2: V2Client): Promise<Answer>;
  /**
   * Returns the effects that the change would have now, one sentence each, for `--dry-run` and the confirmation prompt.
   *
   * @throws MonError `not_found` when the object to change does not exist
   */
  effects(): readonly string[] | Promise<readonly string[]>;
  /**
   * The question that the user must confirm before the change is sent, such as `delete client web-001`. Omitted for
   * changes that can be undone.
   */
  readonly question?: string;
  /** The error message if the user does not confirm the change. Default: `nothing was done`. */
  readonly declinedMessage?: string;
  /** Returns the result of the change for JSON and YAML output. */
  value(answer: Answer): object;
  /** Returns the result of the change as text for people. */
  successText(answer: Answer): string;
}

/**
 * Sends a change after its confirmation and prints the result; with `--dry-run` only shows its effects.
 *
 * @throws ExitError when the user does not confirm the change
 */
export async function carryOut<Answer>(call: CommandCall, change: BackendChange<Answer>): Promise<void> {
  if (call.flags.switch('dry-run') === true) return showDryRun(call, change);
  if (change.question !== undefined)
    await confirmChange(call, change.question, () => change.effects(), change.declinedMessage);
  const answer = await change.send(call.api(), call.v2());
  await call.output.show(change.value(answer), () => safeText(change.successText(answer)));
}

/** A change to files of this machine, with the texts for its dry run, confirmation and result. */
export interface LocalChange extends Pick<BackendChange<void>, 'effects' | 'question'> {
  act(): Promise<void>;
  readonly value: object;
  readonly successText: string;
}

/**
 * Makes a change after its confirmation and prints the result; with `--dry-run` only shows its effects.
 *
 * @throws ExitError when the user does not confirm the change
 */
export async function carryOutLocally(call: CommandCall, change: LocalChange): Promise<void> {
  if (call.flags.switch('dry-run') === true) {
    const effects = await change.effects();
    return call.output.show({ dry_run: true, effects }, () => safeText([...effects, 'nothing was changed'].join('\n')));
  }
  if (change.question !== undefined) await confirmChange(call, change.question, () => change.effects());
  await change.act();
  await call.output.show(change.value, () => safeText(change.successText));
}

/** The deletion of an object through the v2 API. */
export interface Removal extends Partial<Pick<BackendChange<void>, 'effects'>> {
  /** Path of the object below `/api/core/v2`, in segments. */
  readonly path: readonly string[];
  /** The error message if the object does not exist. */
  readonly notFoundMessage: string;
  readonly question: string;
  /** The result for JSON and YAML output; the text for people is `successMessage`, by default `Deleted`. */
  readonly value: object;
  readonly successMessage?: string;
}

/** Deletes an object through the v2 API, with the messages of sensuctl, the command-line tool of Sensu Go. */
export function removeObject(
  call: CommandCall,
  { path, notFoundMessage: missing, question, effects = () => [], value, successMessage = 'Deleted' }: Removal,
): Promise<void> {
  return carryOut(call, {
    send: (_api, v2) => requireRemoved(v2.remove(path), missing),
    effects,
    question,
    declinedMessage: 'Canceled',
    value: () => value,
    successText: () => successMessage,
  });
}

/**
 * Asks for confirmation if there is a terminal, except with `--skip-confirm`.
 *
 * @throws ExitError when the answer is not yes
 */
export async function confirmChange(
  call: Pick<CommandCall, 'ask' | 'flags'>,
  question: string,
  effects: BackendChange<unknown>['effects'],
  declined = 'nothing was done',
): Promise<void> {
  if (!(await promptForConfirmation(call, question, effects))) throw new ExitError(EXIT_CODES.declined, declined);
}

/**
 * Asks the user for confirmation.
 *
 * @returns true if the user answers yes; also with `--skip-confirm`, or if there is no terminal to ask at
 */
export async function promptForConfirmation(
  { ask, flags }: Pick<CommandCall, 'ask' | 'flags'>,
  question: string,
  effects: BackendChange<unknown>['effects'] = () => [],
): Promise<boolean> {
  if (ask === undefined || flags.switch('skip-confirm') === true) return true;
  const answer = await ask(safeText([...(await effects()), `${question}? [y/N] `].join('\n')));
  return isYes(answer);
}

export function isYes(answer: string): boolean {
  return /^y(?:es)?$/i.test(answer.trim());
}

async function showDryRun<Answer>(call: CommandCall, change: BackendChange<Answer>): Promise<void> {
  const { url } = call.api();
  const request = await unsentRequest(url, call.namespace, (api, v2) => change.send(api, v2));
  const effects = await change.effects();
  const { method, body } = request;
  const shown = { method, url: requestUrl(url, request).href, ...(body !== undefined && { body }) };
  await call.output.show({ dry_run: true, request: shown, effects }, () =>
    safeText(
      [
        `would send ${method} ${shown.url}`,
        ...(body === undefined ? [] : [JSON.stringify(body, undefined, 2)]),
        ...effects,
        'nothing was sent',
      ].join('\n'),
    ),
  );
}

/**
 * Captures the request that `send` would make, without sending it. The dry run therefore always shows the real request.
 */
async function unsentRequest(
  url: string,
  namespace: string | undefined,
  send: BackendChange<unknown>['send'],
): Promise<ApiRequest> {
  let request: ApiRequest | undefined;
  const kept = new Error('skipped');
  const keep: Requester = (captured) => {
    request = captured;
    return Promise.reject(kept);
  };
  try {
    await send(buildApiClient(url, keep, namespace), buildV2Client(url, keep));
  } catch (error) {
    if (error !== kept) throw error;
  }
  if (request === undefined) throw new Error('internal error: the change contains no request');
  return request;
}
