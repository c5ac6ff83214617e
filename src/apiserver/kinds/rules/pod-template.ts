import type { Container, PodSpec } from '../../../api/kinds/pod.ts'
import type { LabelSelector } from '../../../api/kinds/selectors.ts'
import type { PodTemplateSpec } from '../../../api/kinds/stateful-set.ts'
import { selectsLabels } from '../../../api/label-selector.ts'
import { validateAnnotations } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { applyPodSpecDefaults } from './pod-defaults.ts'
import { podSpecProblems } from './pod-spec.ts'
import { forbidden, invalid, notSupported, required } from './problems.ts'
import { labelProblems, labelSelectorProblems } from './selectors.ts'

/** `main,sidecar` and their images, as tables show the containers of a template. */
export const formatContainers = (spec: Loose<PodSpec> | undefined, member: 'name' | 'image'): string =>
  (spec?.containers ?? []).map((container: Loose<Container>) => container[member] ?? '').join(',')

type Templated = { selector?: Loose<LabelSelector> | undefined; template?: Loose<PodTemplateSpec> | undefined }

/** The defaults of a template, which is created if it is missing. */
export function applyTemplateDefaults(spec: { template?: Loose<PodTemplateSpec> | undefined }): void {
  const template = (spec.template ??= {})
  applyPodSpecDefaults((template.spec ??= {}))
}

/** The selector of a workload: it must not be empty. `kindWord` as it stands in upstream's message. */
export function selectorProblems(selector: Loose<LabelSelector> | undefined, kindWord: string): FieldProblem[] {
  if (!selector) return [required('spec.selector')]
  const isEmpty = Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0
  return [
    ...labelSelectorProblems('spec.selector', selector),
    ...(isEmpty ? [invalid('spec.selector', selector, `empty selector is invalid for ${kindWord}`)] : []),
  ]
}

/** The template of pods that are always restarted. `podSpec`: what its pods will have, if that differs. */
export function templateProblems(
  spec: Templated & { readonly podSpec?: Loose<PodSpec> },
  kindName: string,
): FieldProblem[] {
  const podSpec = spec.podSpec ?? spec.template?.spec ?? {}
  const { restartPolicy = '', activeDeadlineSeconds } = podSpec
  return [
    ...anyTemplateProblems(spec),
    ...(restartPolicy === 'Always'
      ? []
      : [notSupported('spec.template.spec.restartPolicy', restartPolicy, ['Always'])]),
    ...(activeDeadlineSeconds === undefined
      ? []
      : [
          forbidden(
            'spec.template.spec.activeDeadlineSeconds',
            `activeDeadlineSeconds in ${kindName} is not Supported`,
          ),
        ]),
  ]
}

/** The template of any workload, whose spec is at this path. */
export function anyTemplateProblems(
  spec: Templated & { readonly podSpec?: Loose<PodSpec> },
  field = 'spec',
): FieldProblem[] {
  const { selector, template = {} } = spec
  const { labels, annotations } = template.metadata ?? {}
  // Labels that stand in an object are complete.
  const given = (labels ?? {}) as Record<string, string>
  const isSelectorSound = selector && labelSelectorProblems('', selector).length === 0
  const misses = isSelectorSound && !selectsLabels(selector as LabelSelector, given)
  return [
    ...(misses
      ? [invalid(`${field}.template.metadata.labels`, labels, '`selector` does not match template `labels`')]
      : []),
    ...labelProblems(`${field}.template.labels`, labels),
    ...validateAnnotations((annotations ?? {}) as Record<string, string>).flatMap(({ value, detail }) =>
      value === undefined ? [] : [invalid(`${field}.template.annotations`, value, detail)],
    ),
    ...podSpecProblems(`${field}.template.spec`, spec.podSpec ?? template.spec ?? {}),
  ]
}
