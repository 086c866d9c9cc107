import type { InhibitionRow } from '../../../shared/schemas/inhibition.ts';
import type { Definitions } from '../config/definitions.ts';
import { sendList } from '../http/list.ts';
import type { OnMon } from '../http/route.ts';
import { visibleNamespaces } from '../http/v2-collection.ts';
import type { NamespaceDeps } from '../namespaces/asked.ts';
import { inhibitorsOf } from './state.ts';

/** Inhibitors that are shown of one rule. */
const SHOWN_MAX = 100;

interface InhibitionDeps extends NamespaceDeps {
  readonly config: { readonly definitions: Pick<Definitions, 'inhibitions'> };
}

/** The rules that keep events quiet, and because of which events they do now. */
export function inhibitionsOnMon(deps: InhibitionDeps): OnMon<'inhibitions'> {
  const { registry, config } = deps;
  return {
    inhibitions: (request, reply) => {
      const held = visibleNamespaces(request, deps).flatMap((name) => registry.held(name) ?? []);
      return sendList(request, reply, config.definitions.inhibitions, (rules) =>
        rules.map(({ name, mark, when, quiet, equal }): InhibitionRow => {
          const inhibitors: InhibitionRow['inhibitors'] = [];
          let all = 0;
          for (const namespace of held) {
            for (const { rule, mark: own, client, check } of inhibitorsOf(namespace).all()) {
              if (rule !== name || own !== mark) continue;
              const quieted = namespace.quieted.of({ rule, client, check }).size;
              all += quieted;
              if (inhibitors.length < SHOWN_MAX) inhibitors.push({ namespace: namespace.name, client, check, quieted });
            }
          }
          return { name, when: when.text, quiet: quiet.text, equal: [...equal], quieted: all, inhibitors };
        }),
      );
    },
  };
}
