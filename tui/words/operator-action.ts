/** The words for the actions of operators, by their names in the audit trail. The changed object follows the words. */
const ACTION_WORDS: Readonly<Record<string, string>> = {
  'silence.create': 'silenced',
  'silence.replace': 'changed the silence on',
  'silence.restore': 'silenced again',
  'silence.clear': 'ended the silence on',
  'silence.expire': 'ended the expired silence on',
  'event.acknowledge': 'acknowledged',
  'event.unacknowledge': 'withdrew the acknowledgement of',
  'on-call.override': 'overrode the schedule',
  'on-call.override-delete': 'deleted an override of the schedule',
  'on-call.swap': 'swapped shifts of the schedule',
  'event.resolve': 'resolved',
  'event.delete': 'deleted the event',
  'result.delete': 'deleted the result',
  'client.create': 'created the client',
  'client.change': 'changed the client',
  'client.delete': 'deleted the client',
  'check.delete': 'deleted the check',
  'check.rename': 'renamed the check',
  'check.request': 'requested a run of',
  'aggregate.delete': 'deleted the aggregate',
  'dead-letter.retry': 'retried the dead letter',
  'dead-letter.drop': 'dropped the dead letter',
  'definition.create': 'created the definition',
  'definition.change': 'changed the definition',
  'definition.delete': 'deleted the definition',
  'handler.test': 'tested the handler',
  'upgrade.create': 'created the upgrade plan',
  'upgrade.order': 'gave an order for the upgrade plan',
  'cluster.hand-over': 'handed the leadership to',
  bulk: 'made a bulk change of',
  undo: 'undid',
  'cluster.remove': 'removed the cluster member',
};

/** Returns what an operator did, in words: `silenced`. For an action without words, returns its name: `user create`. */
export function operatorActionText(action: string): string {
  return ACTION_WORDS[action] ?? action.replace('.', ' ');
}
