import type { V2Object } from '../../../shared/client/v2-client.ts';
import { isObject } from '../../../shared/client/compiled-check.ts';
import { DELETE_OPTIONS, removeObject } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { requireExisting } from '../require-existing.ts';
import { LIST_OPTIONS, showList } from '../list.ts';
import { listPath, NAMESPACE_OPTION, callNamespace, NAMESPACES_OPTIONS, namespacesOf } from '../namespaces.ts';
import { showYaml } from '../output.ts';
import { SELECTOR_OPTIONS, selectorsOf } from '../v2-list.ts';
import { metadataNamespace, nameOf, readTextAttribute } from '../v2-object.ts';

const list: Command = {
  words: ['pipeline', 'list'],
  summary: 'List pipelines with their workflows',
  details: ['To create a pipeline, use "monctl create -f".'],
  options: { ...NAMESPACES_OPTIONS, ...SELECTOR_OPTIONS, ...LIST_OPTIONS },
  examples: [['monctl pipeline list --namespace staging', 'pipelines of a namespace']],
  async run(call) {
    const namespace = namespacesOf(call);
    await showList<V2Object>(call, {
      noun: 'pipelines',
      columns: () => [
        ...(namespace === undefined ? [{ title: 'NAMESPACE', text: metadataNamespace }] : []),
        { title: 'NAME', text: nameOf },
        { title: 'WORKFLOWS', text: (pipeline) => workflowsOf(pipeline).map(workflowText).join(', ') },
      ],
      key: (pipeline) => `${metadataNamespace(pipeline)}/${nameOf(pipeline)}`,
      fetch: () => call.v2().list(listPath(namespace, 'pipelines'), selectorsOf(call)),
    });
  },
};

const info: Command = {
  words: ['pipeline', 'info'],
  summary: 'Show a pipeline',
  operands: ['PIPELINE'],
  options: NAMESPACE_OPTION,
  examples: [['monctl pipeline info incidents', 'its workflows with their filters, mutators and handlers']],
  async run(call) {
    const { path, missing } = pipelineOf(call);
    await showYaml(call.output, await requireExisting(call.v2().find(path), missing));
  },
};

const remove: Command = {
  words: ['pipeline', 'delete'],
  summary: 'Delete a pipeline',
  details: ['Checks that use the pipeline are not changed; "monctl event explain" reports the missing pipeline.'],
  operands: ['PIPELINE'],
  options: { ...NAMESPACE_OPTION, ...DELETE_OPTIONS },
  examples: [['monctl pipeline delete incidents --skip-confirm', 'in a script']],
  async run(call) {
    const { name, namespace, path, missing } = pipelineOf(call);
    await removeObject(call, {
      path,
      notFoundMessage: missing,
      question: `delete the pipeline ${name}`,
      value: { namespace, pipeline: name, deleted: true },
    });
  },
};

export const pipelineCommands: readonly Command[] = [list, info, remove];

function pipelineOf(call: CommandCall): {
  readonly name: string;
  readonly namespace: string;
  readonly path: readonly string[];
  readonly missing: string;
} {
  const [name = ''] = call.operands;
  const namespace = callNamespace(call);
  const missing = `there is no pipeline ${name} in ${namespace}: see monctl pipeline list --namespace ${namespace}`;
  return { name, namespace, path: [...listPath(namespace, 'pipelines'), name], missing };
}

function workflowsOf({ workflows }: V2Object): readonly V2Object[] {
  return Array.isArray(workflows) ? workflows.filter((one) => isObject(one)) : [];
}

/** Formats a workflow with its handler, such as `escalate (pagerduty)`. */
function workflowText(workflow: V2Object): string {
  return `${readTextAttribute(workflow, 'name')} (${readTextAttribute(workflow, 'handler', 'name')})`;
}
