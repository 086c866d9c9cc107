import { apiClientOver, type ApiClient } from '../../shared/client/api-client.ts';
import { v2ClientOver, type V2Client } from '../../shared/client/v2-client.ts';
import { requestUrl, type Request, type Requester } from '../../shared/client/request.ts';
import { safeText } from '../../shared/domain/terminal-text.ts';
import type { Call } from './command.ts';
import { ExitError } from './exit-codes.ts';
import { flag, type CommandOption } from './flags.ts';
import { removed } from './require-existing.ts';
import { EXIT } from '../words/exit-codes.ts';

/** Options of all commands that change something. */
export const CHANGE_OPTIONS: Readonly<Record<'dry-run', CommandOption>> = {
  'dry-run': flag('show the requests and their effects, but send nothing'),
};

/** Options of commands that cannot be undone. */
export const DELETE_OPTIONS: Readonly<Record<'dry-run' | 'skip-confirm', CommandOption>> = {
  ...CHANGE_OPTIONS,
  'skip-confirm': flag('do not ask for confirmation (monctl asks only on a terminal)', { short: 'y' }),
};

/** A change to the backend's state. */
export interface BackendChange<Answer> {
  /** Sends the change as one request. */
  send(api: ApiClient, v2: V2Client): Promise<Answer>;
  /**
   * Returns the current effects of the change, one sentence each, for `--dry-run` and the confirmation prompt.
   *
   * @throws MonError `not_found` when there is nothing to change
   */
  effects(): readonly string[] | Promise<readonly string[]>;
  /**
   * The question before the change is sent: `delete client web-001`. Omitted for changes that can be undone.
   */
  readonly question?: string;
  /** The message if the user answers no. Default: `nothing was done`. */
  readonly declined?: string;
  /** Returns the output for programs after the change. */
  value(answer: Answer): object;
  /** Returns the output for people after the change. */
  said(answer: Answer): string;
}

/**
 * Carries out a change, or shows it with `--dry-run`.
 *
 * @throws ExitError when the user answered no
 */
export async function carryOut<Answer>(call: Call, change: BackendChange<Answer>): Promise<void> {
  if (call.flags.switch('dry-run') === true) return showDryRun(call, change);
  if (change.question !== undefined) await confirm(call, change.question, () => change.effects(), change.declined);
  const answer = await change.send(call.api(), call.v2());
  await call.output.show(change.value(answer), () => safeText(change.said(answer)));
}

/** The deletion of a v2 API object. */
export interface Removal extends Partial<Pick<BackendChange<void>, 'effects'>> {
  /** The path below `/api/core/v2`. */
  readonly path: readonly string[];
  /** The error message if the object does not exist. */
  readonly missing: string;
  readonly question: string;
  /** The output for programs; people get `Deleted`. */
  readonly value: object;
  readonly said?: string;
}

/** Deletes a v2 API object, with the messages of that API's own tool. */
export function removeObject(
  call: Call,
  { path, missing, question, effects = () => [], value, said = 'Deleted' }: Removal,
): Promise<void> {
  return carryOut(call, {
    send: (_api, v2) => removed(v2.remove(path), missing),
    effects,
    question,
    declined: 'Canceled',
    value: () => value,
    said: () => said,
  });
}

/**
 * Asks for confirmation at a terminal, except with `--skip-confirm`.
 *
 * @throws ExitError when the answer is not yes
 */
export async function confirm(
  call: Pick<Call, 'ask' | 'flags'>,
  question: string,
  effects: BackendChange<unknown>['effects'],
  declined = 'nothing was done',
): Promise<void> {
  if (!(await isAgreed(call, question, effects))) throw new ExitError(EXIT.declined, declined);
}

/** Returns whether the user agrees; true if there is no terminal to ask at. */
export async function isAgreed(
  { ask, flags }: Pick<Call, 'ask' | 'flags'>,
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

async function showDryRun<Answer>(call: Call, change: BackendChange<Answer>): Promise<void> {
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
 * Captures the request that `send` would make, without sending it. The dry run can therefore never differ from
 * the real request.
 */
async function unsentRequest(
  url: string,
  namespace: string | undefined,
  send: BackendChange<unknown>['send'],
): Promise<Request> {
  let request: Request | undefined;
  const kept = new Error('skipped');
  const keep: Requester = (captured) => {
    request = captured;
    return Promise.reject(kept);
  };
  try {
    await send(apiClientOver(url, keep, namespace), v2ClientOver(url, keep));
  } catch (error) {
    if (error !== kept) throw error;
  }
  if (request === undefined) throw new Error('internal error: the change contains no request');
  return request;
}
