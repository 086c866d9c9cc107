import type { LogCall } from './log-calls.ts';
import { inlineCode } from './markdown-text.ts';

/** The meaning of a message, and the advice for an operator. */
type LogAdvice = readonly [meaning: string, action: string];

const RETRIED: LogAdvice = ['The store failed. The backend tries again.', 'If it repeats, see `store write failed`.'];
const INTERNAL: LogAdvice = ['A defect in `mon`.', 'Report it with the log record.'];

/**
 * The messages of the level warn and error that the backend and the agent log. `...` stands for a computed part. The
 * groups are printed on a page of the documentation, and a test compares them with the source code.
 */
export const LOG_MESSAGES: Readonly<Record<string, Readonly<Record<string, LogAdvice>>>> = {
  agent: {
    '..., so local programs cannot send results over ...: set another port in client....': [
      'The agent could not open a socket for local programs, for example because a second agent uses the' +
        ' port. Checks still run.',
      'Change the port in `client.socket` or `client.http_socket`, or set its `enabled` to false.',
    ],
    'cannot write results to disk: keeping the results in memory': [
      'The disk of the agent is full or cannot be written. Results are lost if the agent stops now.',
      'Free some space in the state directory, or correct its owner. The field `reason` names the cause.',
    ],
    'check aborted without a result because the agent is stopping': [
      'A check was still running when the agent stopped.',
      'No action is needed: the check runs again after the start.',
    ],
    'check result lost: it could not be written to the spool': [
      'The agent could store the result neither on disk nor in memory.',
      'Free some space in the state directory of the agent.',
    ],
    'client was not deregistered: the agent is not connected to a backend': [
      'The client stays listed, although the agent has `deregister: true`.',
      'Delete it with `monctl client delete NAME` if the host is gone.',
    ],
    'configuration is invalid: the agent keeps its current configuration': [
      'A reload found an error, which the field `reason` describes.',
      'Correct the file, and reload again.',
    ],
    'could not accept a connection from a local program': [
      'The operating system refused a connection, for example because of too many open files.',
      'Raise the limit of open files if it repeats.',
    ],
    'could not receive a UDP datagram': [
      'The UDP socket of the agent reported an error.',
      'Restart the agent if it repeats.',
    ],
    'could not send results to the backend, reconnecting': [
      'Reading or sending stored results failed. The agent sends them again after it has reconnected.',
      'If it repeats, check the disk of the agent. The field `reason` names the cause.',
    ],
    'could not write a check result from a local program to disk': [
      'The local program got an error, so it can send its result again.',
      'Free some space in the state directory of the agent.',
    ],
    'every host that reaches this address can report results as this client: restrict access to it': [
      'A socket for local programs listens on more than the loopback interface.',
      'Set `bind` to `127.0.0.1`, or restrict access with a firewall.',
    ],
    'invalid check result from a local program': [
      'A local program sent a result that violates a rule, which the field `reason` names.',
      'Correct the program.',
    ],
    'new certificates are invalid: the previous certificates stay in use': [
      'The certificate files of the agent changed, but cannot be used.',
      'Correct the files. The agent reads them again.',
    ],
    'not connected to the backend': [
      'The agent cannot reach the backend, or the connection ended. Results wait on disk.',
      'If it repeats, check the address in `backend`, the network, and the backend.',
    ],
    'previous check command execution in progress': [
      'A check was due again while its previous run had not ended. The new run was skipped.',
      'Set a `timeout` that is shorter than the `interval`, or lengthen the `interval`.',
    ],
    'reconnection attempt failed': [
      'The backend refused the agent. The field `error` contains the status.',
      '401: correct the key. 402: raise `entity-limit`. 403: give the user the scope `submit`.',
    ],
    'results in memory are lost unless they can be written to disk now': [
      'The agent stops while it holds results that it could not write to disk.',
      'Free some space in the state directory at once.',
    ],
    'spool is full: the oldest results were dropped': [
      'The backend was unreachable for so long that the limit of stored results was reached.',
      'Restore the connection. The dropped results are lost.',
    ],
    'spool is out of date, because the backend already has newer results of this agent: starting a new spool': [
      'The state directory of the agent was restored from an old copy, or is used by two agents.',
      'Give each agent a state directory of its own.',
    ],
    'system clock was set: ..., check schedules are not affected': [
      'The clock of the host jumped.',
      'Use NTP, which adjusts a clock gradually.',
    ],
    'the agent is stopping': ['A check was requested while the agent stopped. It was skipped.', 'No action is needed.'],
    'the backend rejected a check result': [
      'The result violates a rule, which the field `reason` names. It is not stored.',
      'Correct the check or the definition of the check.',
    ],
    'the backend reported an error': [
      'The backend could not process a message of the agent, for the `reason` that it gives.',
      'Look at the log of the backend at the same time.',
    ],
    'the certificate of ... is not verified: attackers in the network can read and change everything': [
      'The setting `insecure-skip-tls-verify` is on.',
      'Set `trusted-ca-file` in its place.',
    ],
    'too many checks are waiting to run': [
      'More checks are due than the agent can run at the same time. The new run was skipped.',
      'Lengthen the intervals, or make the checks faster.',
    ],
    'unknown check extension': [
      'A check names a built-in check that this agent does not have.',
      'Correct `extension`, or upgrade the agent. The field `available` lists the names.',
    ],
  },
  requests: {
    'agent rejected': [
      'The backend refused the connection or a message of an agent, for the `reason` in the record.',
      'Correct the agent, its key or the entity limit. The field `code` is an [error code](errors.md).',
    ],
    'authentication failed': [
      'A request had wrong credentials. The field `remote_address` names its origin.',
      'Correct the credentials of the program. If you do not know it, block the address.',
    ],
    'check result rejected': [
      'A result violates a rule, which the field `reason` names. It is not stored.',
      'Correct the check, or the program that sent the result.',
    ],
    'connections are rejected: find the clients with many connections, or raise ...': [
      'The limit of connections is reached, for all clients or for one address.',
      'Find the program that opens the connections, or raise the setting in the message.',
    ],
    'could not deregister the client': [
      'The store failed, so the client of a disconnected agent stays listed.',
      'Delete it with `monctl client delete NAME`.',
    ],
    'could not read the client from the store': [
      'The store failed, so an agent of Sensu Go got no configuration or check request.',
      'If it repeats, see `store write failed`.',
    ],
    'could not remove expired sessions': RETRIED,
    'could not revoke a login at the identity provider': [
      'A user logged out and the session has ended, but the provider did not answer.',
      'The login at the provider lasts until it expires. End it there if it matters.',
    ],
    'could not save when API keys were last used': RETRIED,
    'could not send the response to a request': INTERNAL,
    'could not write the access token for programs on this host': [
      '`monctl` and `mon` on this host cannot authenticate by themselves.',
      'Correct the owner of the state directory, or free some space.',
    ],
    'dropped a connection whose peer is too slow or sends incomplete requests': [
      'A client did not read its responses, or did not finish its requests, in time.',
      'Find the client by the field `address`. It can connect again.',
    ],
    'further rejected check results were not logged individually': [
      'Many results were rejected within a minute. The record contains their number.',
      'Look at the records `check result rejected` before it.',
    ],
    'listener without TLS is reachable from other hosts, so passwords and keys can be intercepted: set up TLS': [
      'The setting `insecure-http` permits this.',
      'Set up [TLS](../tls.md), or bind the listener to `127.0.0.1`.',
    ],
    'live feed request failed': INTERNAL,
    'refresh token was used twice and may be stolen: the session was terminated': [
      'Two programs used the same session, or somebody copied its token.',
      'Log in again. Change the password if you cannot explain it.',
    ],
    'request failed': INTERNAL,
    'the identity provider does not confirm logins: sessions continue with their last known groups': [
      'The provider of the setting `oidc` does not answer, or rejects the requests of the backend. The field `reason` has the cause.',
      'Correct it within 12 hours after the last answer of the provider. Then the sessions end.',
    ],
    'too many failed authentications: responses to this address are delayed': [
      'An address sends wrong credentials again and again.',
      'Correct the credentials of the program, or block the address.',
    ],
  },
  configuration: {
    '... has expired on ... and is rejected: renew it': [
      'The certificate in the message is no longer valid, so clients and agents cannot connect.',
      'Install a new certificate. It is loaded without a restart.',
    ],
    '... expires on ..., in ... days: renew it': [
      'The certificate in the message expires soon.',
      'Install a new certificate. It is loaded without a restart.',
    ],
    '... is not valid before ... and is rejected: check the clock': [
      'The certificate is valid only later, or the clock of the host is wrong.',
      'Set the clock, or install another certificate.',
    ],
    '... will be rejected by clients: its ...; have it issued again with that name': [
      'The certificate names the host only as its common name, which programs ignore.',
      'Have it issued again with a `subjectAltName`.',
    ],
    '... can be read by all users of this machine: remove that permission': [
      'A file with a private key or a secret is readable for everybody.',
      'Run `chmod o-rwx` on the file.',
    ],
    'agents with a certificate can report in every namespace: restrict them with certificate-namespaces': [
      'There are several namespaces, and the certificates of agents are valid in all of them.',
      'Set `certificate-namespaces`.',
    ],
    'check request could not be sent': [
      'The store failed, so a check did not run this time.',
      'If it repeats, see `store write failed`.',
    ],
    'check request was not sent: the agent of this client does not support the check': [
      'An agent of Sensu Go cannot run the check, for the `reason` in the record.',
      'Change the check, or run `mon-agent` on the host.',
    ],
    'check request was not sent: the client lacks attributes that the command uses as tokens': [
      'A token of the command has no value and no default. The field `unmatched_tokens` names it.',
      'Add the attribute to the client, or a default to the token.',
    ],
    'check requests were not sent: proxy clients lack attributes that the command uses as tokens': [
      'A token of a proxy check has no value for some clients. The field `first_clients` names them.',
      'Add the attribute to the clients, or a default to the token.',
    ],
    'configuration rejected: the previous configuration stays in effect': [
      'A reload found errors, which the field `problems` lists.',
      'Correct the files. They are reloaded automatically.',
    ],
    'could not write the file that lists the configuration files: handlers that read their settings from it will fail':
      [
        'Commands of handlers find the configuration through this file.',
        'Correct the owner of the state directory, or free some space.',
      ],
    'each check in the field "checks" ...': [
      'The checks use tokens in a shell command, so everyone who may change a client can run commands.',
      'Write the command as a list of the program and its arguments.',
    ],
    'has tokens in a shell command: everyone who may change a client can run commands where it runs; ...': [
      'The record names the definition, which was just written.',
      'Write the command as a list of the program and its arguments.',
    ],
    'new certificate is invalid: the previous certificate stays in use': [
      'The certificate files of a listener changed, but cannot be used.',
      'Correct the files. The backend reads them again.',
    ],
    'only agents of Sensu Go can run it, because of a token: ...': [
      'The check has a token that `mon-agent` cannot replace.',
      'Use a simpler [token](../v2-api.md#tokens).',
    ],
    'reload failed': [
      'A reload of the configuration ended with an unexpected error.',
      'Reload again. Report it if it repeats.',
    ],
    'some changed settings take effect only after a restart': [
      'The field `settings` names them.',
      'Restart the backend.',
    ],
    'stored definitions contain commands that the API no longer accepts: these commands still run until the definitions are deleted':
      [
        'The setting `api-commands` or `api-command-directories` was made stricter.',
        'Delete the definitions in the field `definitions`, or permit their commands.',
      ],
    'the workflow ... does nothing: handlers of the type ... are not supported': [
      'A pipeline names a handler of the commercial edition of Sensu Go.',
      'Name another handler.',
    ],
  },
  processing: {
    '... of memory are used, and the limit is ... (memory-limit): new objects are rejected; ...': [
      'The backend accepts no new clients, checks and silences. Those that exist still work.',
      'Delete clients or silences, or raise `memory-limit`.',
    ],
    'an acknowledgement that expired could not be removed': RETRIED,
    'begin or end of a silence could not be written': RETRIED,
    'component could not be stopped': [
      'A part of the backend failed while the backend stopped.',
      'Report it if the next start fails.',
    ],
    'component was slow to stop': ['A part of the backend took long to stop.', 'No action is needed.'],
    'could not check for overdue keepalives, retrying soon': RETRIED,
    'could not delete old state transitions from the timeline, retrying soon': RETRIED,
    'could not read the client attributes that the selectors of silences compare': [
      'The store failed, so a silence with a selector may not match all events yet.',
      'Create the silence again.',
    ],
    'could not save a snapshot of the event history, retrying soon': RETRIED,
    'could not save which silences match no events': RETRIED,
    'could not stop the TTL monitoring of removed checks, retrying soon': RETRIED,
    'could not store events for checks whose TTL has expired, retrying soon': RETRIED,
    'could not store the reference time that detects changes of the system clock': RETRIED,
    'could not store the results of aggregate rules, retrying soon': RETRIED,
    'could not store the results of watchdogs, retrying soon': RETRIED,
    'end of the block of a deleted client could not be written': RETRIED,
    'event loop was blocked': [
      'The backend did nothing else for the time in `stalled_ms`. The machine is overloaded, or a request' +
        ' is very large.',
      'If it repeats, give the machine more CPU, or report it.',
    ],
    'expired stash could not be removed': RETRIED,
    'reminder of a silence could not be sent': RETRIED,
    'system clock was set ...: timers and durations are not affected': [
      'The clock of the host jumped.',
      'Use NTP, which adjusts a clock gradually.',
    ],
  },
  notifications: {
    'a step of an escalation was not notified': RETRIED,
    'an expression in a message template has no value': [
      'A template names an attribute that the event does not have. The message has a gap there.',
      'Correct the template. The field `problem` names the expression.',
    ],
    'backend is stopping: running handlers are aborted and run again at the next start': [
      'Handlers were still running when the time for stopping was over.',
      'No action is needed, but a receiver may get a notification twice.',
    ],
    'callback of a chat rejected': [
      'A click on a button did not prove that it comes from the chat service. The field `reason` names the cause.',
      'Compare `buttons.secret` of the handler with the service, and set the clock with NTP.',
    ],
    'could not answer a click in a chat': [
      'The action of the button succeeded, but the chat service did not accept the response.',
      'Check the network. The field `reason` names the cause.',
    ],
    'could not read the event for a handler, retrying soon': RETRIED,
    'could not update a message in a chat': [
      'The action of the button succeeded, but the message still shows its buttons.',
      'Report it with the field `err`.',
    ],
    'could not store the outcomes of handler runs, retrying soon': RETRIED,
    'could not store the outcomes of handler runs: the handlers run again after the next start': [
      'The backend stopped while it could not write. Receivers may get notifications twice.',
      'Free some space, or restore the database, before the next start.',
    ],
    'escalations cannot be nested': [
      'A handler of the type `escalation` names another escalation.',
      'Name handlers in its steps.',
    ],
    'escalations were not updated, retrying soon': RETRIED,
    'events could not be handled at the end of their silence, retrying soon': RETRIED,
    'handler error': [
      'A run of a handler failed, for the `reason` in the record. It is tried again as `retry` says.',
      'Test it with `monctl handler test NAME`.',
    ],
    'handler failed': INTERNAL,
    'handler failed because of an internal error': INTERNAL,
    'handler output': [
      'The command of a handler ended with a status other than 0. The record contains its output.',
      'Correct the command, or test it with `monctl handler test NAME`.',
    ],
    'handler queue is full, event was not handled': [
      'The queue of the handler and the dead-letter queue are full, so the notification is lost.',
      'Repair the receiver, then run `monctl dead-letter retry`.',
    ],
    'handler queue is full: further events become dead letters': [
      'Events come faster than the handler can run.',
      'Raise `concurrency` or `queue_limit`. Then run `monctl dead-letter retry`.',
    ],
    'handler sets cannot be deeply nested': [
      'Handler sets are nested more than two levels deep.',
      'Use at most two levels of sets.',
    ],
    'inhibitions of open events could not be evaluated, retrying soon': RETRIED,
    'mail server rejected some recipients': [
      'The other recipients got the mail. The field `rejected` lists the addresses.',
      'Correct the addresses in the handler.',
    ],
    'mutator error': [
      'The command of a mutator failed, so the handler did not run.',
      'Correct the command. The record contains its output.',
    ],
    'nobody is on call': [
      'A check names an on-call schedule that has a gap now.',
      'Add an override with `monctl on-call override`, and close the gap.',
    ],
    'notification group could not be flushed, retrying soon': RETRIED,
    'pipeline has no workflows': ['A check names a pipeline without workflows.', 'Add a workflow to the pipeline.'],
    'the callback of a chat names a response URL of another host: no response was sent': [
      'A click asks for a response to a host that is not the service of the handler. The action succeeded.',
      'Find out who knows the `callback_token` and the `secret` of the handler, and replace both.',
    ],
    'too many dead letters: the oldest dead letters were deleted': [
      'The limit of dead letters is reached.',
      'Correct the failing handler, then run `monctl dead-letter retry` or `drop`.',
    ],
    'unknown filter': [
      'A handler names a filter that is not defined. The event passes.',
      'Define the filter, or correct its name.',
    ],
    'unknown handler': [
      'A check or a set names a handler that is not defined.',
      'Define the handler, or correct its name.',
    ],
    'unknown mutator': [
      'A handler names a mutator that is not defined, so it did not run.',
      'Define the mutator, or correct its name.',
    ],
    'unknown pipeline': [
      'A check names a pipeline that is not defined in its namespace.',
      'Define the pipeline, or correct its name.',
    ],
    'attribute value eval error': [
      'A condition of a filter could not be evaluated. The field `reason` names the condition.',
      'Correct the expression: it probably compares values of different types.',
    ],
    'attribute value eval unmatched tokens': [
      'A condition of a filter contains a token that the event does not have.',
      'Correct the token, or add a default to it.',
    ],
  },
  cluster: {
    'another cluster member cannot prove its identity: communication is blocked': [
      'The members have different keys, or a clock is wrong. The field `problem` names the cause.',
      'Install the same `peer-key-file` on all members, and use NTP.',
    ],
    'another member rejected a handler run: running it elsewhere': [
      'A member has a different configuration or version.',
      'Give all members the same configuration and version.',
    ],
    'cannot send handler runs to another cluster member': [
      'The member does not answer. Its runs go to the other members.',
      'Check the member and its `peer-url`.',
    ],
    'closed the connection of another cluster member: run the same version on all members': [
      'A member sent something that this version does not understand.',
      'Upgrade all members to the same version.',
    ],
    'database is unreachable': [
      'The backend cannot reach PostgreSQL. It rejects changes until it can.',
      'Check PostgreSQL and the network. The field `reason` names the cause.',
    ],
    'handler run on another member was lost: running it again': [
      'A member failed during a run. A receiver may get the notification twice.',
      'Check the member if it repeats.',
    ],
    'members of the cluster authenticate with a secret in the database, which everyone who reads the database can use: set peer-key-file on all members, see docs/scale-out.md':
      ['No `peer-key-file` is set.', 'Set it on all members, as in [High availability](../scale-out.md).'],
    'replication failed': [
      'A follower could not read the changes of the leader. It tries again.',
      'If it repeats, check PostgreSQL.',
    ],
    'replication failed unexpectedly': ['A defect in `mon`. The follower loads the whole state again.', 'Report it.'],
    'request with the identity of another member was rejected': [
      'A request claims to come from a member, but its signature is wrong.',
      'Install the same `peer-key-file` on all members. If you do not know the `address`, block it.',
    ],
    'the clocks of this host and the database differ: synchronize both with NTP, or times jump after a failover': [
      'The field `seconds_ahead` contains the difference.',
      'Use NTP on both hosts.',
    ],
    'the database lost a commit that it had acknowledged and has a different one in its place': [
      'An outdated standby was promoted, or an old copy was restored. The follower loads the whole state again.',
      'Use synchronous replication in PostgreSQL. Compare open events with what you know.',
    ],
    'the database lost acknowledged writes: continuing with the remaining data': [
      'An outdated standby was promoted, or an old copy was restored.',
      'Use synchronous replication in PostgreSQL. Compare open events with what you know.',
    ],
    'the leader cannot be reached': [
      'A follower cannot forward changes to the leader, so it rejects them.',
      'Check the network between the members, and the `peer-url` of the leader.',
    ],
    'the leader does not accept this backend as a member': [
      'The leader rejects the signature of this member.',
      'Install the same `peer-key-file` on all members.',
    ],
    'this follower lags too far behind the leader: reloading the whole state': [
      'The follower was stopped or slow for some time.',
      'If it repeats, give the machine more CPU.',
    ],
    'this member is no longer the leader: it continues as a follower': [
      'Another member took over, because this one was slow or an operator asked for it.',
      'If it repeats, look for an overloaded machine or database.',
    ],
    'transport messages could not be sent to another member': [
      'Clients that read a `transport` handler from that member miss messages.',
      'Check the member and its `peer-url`.',
    ],
  },
  store: {
    'change failed': INTERNAL,
    'error enabling round robin scheduling,backend restart required': [
      'A check belongs to a namespace that does not exist, so the store cannot be upgraded.',
      'Follow the remedy that the command prints, then upgrade again.',
    ],
    'could not create the reserve file, which is deleted to free space when the disk is full': [
      'The disk is nearly full.',
      'Free some space.',
    ],
    'could not reload the state from the store, retrying soon': RETRIED,
    'could not store the outcome of an upgrade step': RETRIED,
    'could not store the progress of an upgrade step': RETRIED,
    'disk is full: the reserve file was deleted so that the store could be opened; free some space': [
      'The backend started with its last reserve of disk space.',
      'Free some space now. The file is created again by itself.',
    ],
    'disk is full: the reserve file was deleted to keep the backend running; free some space': [
      'The backend uses its last reserve of disk space.',
      'Free some space now. The file is created again by itself.',
    ],
    'error upgrading database': [
      'The upgrade of the store ended with the error in the record. A backup exists unless `--no-backup` was given.',
      'Correct the cause, then run `mon-backend upgrade` again.',
    ],
    'migrating embedded database to a new version': ['An upgrade of the store begins.', 'Wait for its end.'],
    'repairing a damaged store': ['`mon-backend repair` begins. A copy is kept.', 'Wait for its end.'],
    'restoring database': ['`mon-backend restore-backup` begins.', 'Wait for its end.'],
    'store has lost writes: continuing with the remaining data; copies of the damaged files were kept': [
      'The backend was started with `--accept-loss` after damage to the store.',
      'Check the disk. Compare open events with what you know.',
    ],
    'store write failed': [
      'The store rejected a change, for the `error` in the record. Callers got the status 503.',
      'Free some space, check the disk, or check PostgreSQL.',
    ],
    'the database schema is outdated: run mon-backend upgrade': [
      'The backend works with the older schema.',
      'Plan the upgrade: see [Upgrade the store](../upgrading.md).',
    ],
    'upgrade step failed': INTERNAL,
    'upgrading database': [
      'An upgrade of the store is in progress. The record contains its progress.',
      'Wait for its end.',
    ],
    'waiting for the database': [
      'The backend starts, but cannot reach PostgreSQL or its tables.',
      'Check PostgreSQL. The field `reason` names the cause.',
    ],
  },
  both: {
    'all users can read the log file: run the command in "fix"': [
      'The log can contain names of hosts and outputs of checks.',
      'Run the command in the field `fix`.',
    ],
    'could not notify the service manager (systemd) of the daemon state': [
      'The service runs, but systemd may consider it to be starting or hanging.',
      'Check that `NOTIFY_SOCKET` can be written.',
    ],
    'other users can read the state directory: run the command in "fix"': [
      'The directory contains secrets.',
      'Run the command in the field `fix`.',
    ],
    'the process that runs commands has exited and will be restarted': [
      'The helper process of the daemon ended, perhaps because the machine had no memory left. Its running' +
        ' commands were aborted.',
      'If it repeats, look for a lack of memory in the log of the system.',
    ],
  },
};

/**
 * The messages of calls that name no literal, by their file. A file has an empty list if its messages are warnings
 * about the configuration, which the page describes in a section of its own.
 */
export const COMPUTED_MESSAGES: Readonly<Record<string, readonly string[]>> = {
  'daemon/agent/agent-tls.ts': ['... can be read by all users of this machine: remove that permission'],
  'daemon/agent/main.ts': [
    'the certificate of ... is not verified: attackers in the network can read and change everything',
  ],
  'daemon/agent/open-inputs.ts': [
    '..., so local programs cannot send results over ...: set another port in client....',
  ],
  'daemon/agent/run-check.ts': [
    'the agent is stopping',
    'previous check command execution in progress',
    'too many checks are waiting to run',
  ],
  'daemon/backend/compose/foundation.ts': ['... can be read by all users of this machine: remove that permission'],
  'daemon/backend/config/reload.ts': [],
  'daemon/backend/config/warn-of-expressions.ts': ['only agents of Sensu Go can run it, because of a token: ...'],
  'daemon/backend/definitions/routes-v2.ts': [
    'has tokens in a shell command: everyone who may change a client can run commands where it runs; ...',
    'the workflow ... does nothing: handlers of the type ... are not supported',
  ],
  'daemon/backend/health/memory-budget.ts': [
    '... of memory are used, and the limit is ... (memory-limit): new objects are rejected; ...',
  ],
  'daemon/backend/main.ts': [],
  'daemon/backend/notify/log-verdicts.ts': [
    'handler queue is full, event was not handled',
    'nobody is on call',
    'unknown handler',
    'handler sets cannot be deeply nested',
    'escalations cannot be nested',
    'unknown pipeline',
    'pipeline has no workflows',
    'unknown filter',
    'attribute value eval error',
    'attribute value eval unmatched tokens',
  ],
  'daemon/backend/store/upgrade/upgrade-store.ts': ['error enabling round robin scheduling,backend restart required'],
  'daemon/backend/tls/server-tls.ts': [
    '... has expired on ... and is rejected: renew it',
    '... expires on ..., in ... days: renew it',
    '... is not valid before ... and is rejected: check the clock',
    '... will be rejected by clients: its ...; have it issued again with that name',
  ],
};

/** Shared code whose callers pass the message. */
export const PASSES_MESSAGES: ReadonlySet<string> = new Set([
  'daemon/backend/notify/event-queue.ts',
  'daemon/backend/schedule/run-deadlines.ts',
  'daemon/log/rate-limit.ts',
]);

/** Returns the messages that a call can log. */
export function messagesOf({ file, messages }: LogCall): readonly string[] {
  return messages.length > 0 ? messages : (COMPUTED_MESSAGES[file] ?? []);
}

/**
 * Returns the list of the messages of a group in Markdown, with their levels.
 *
 * @throws Error if the source code does not log one of the messages
 */
export function messageList(group: string, calls: readonly LogCall[]): string {
  const lines = Object.entries(LOG_MESSAGES[group] ?? {}).map(([message, [meaning, action]]) => {
    const levels = new Set(calls.filter((call) => messagesOf(call).includes(message)).map(({ level }) => level));
    if (levels.size === 0) throw new Error(`no program logs the message: ${message}`);
    return `- **${inlineCode(message)}** (${[...levels].join(' or ')}): ${meaning} ${action}`;
  });
  return lines.toSorted((one, other) => one.localeCompare(other, 'en')).join('\n');
}
