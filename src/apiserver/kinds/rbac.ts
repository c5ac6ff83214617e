import { isEqualJson } from '../../api/equal-json.ts'
import { validateName } from '../../api/names.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES } from '../../api/kinds/rbac.ts'
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '../../api/kinds/rbac.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { FieldProblem } from '../core/kind-definition.ts'
import { AGE, CREATED_AT, NAME, text, wide } from './columns.ts'
import { kindTable } from './define-kind.ts'
import type { KindTable } from './define-kind.ts'
import type { Loose } from './loose.ts'
import { invalid, invalidFor, notSupported, required } from './rules/problems.ts'
import { labelSelectorProblems } from './rules/selectors.ts'

const { group: GROUP } = ROLES
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group']

export const ROLE_KIND = kindTable<Role>({
  type: ROLES,
  name: 'path-segment',
  createOnUpdate: true,
  columns: [NAME, CREATED_AT],
  validate: ({ rules }) => ruleProblems(rules, true),
})

export const CLUSTER_ROLE_KIND = kindTable<ClusterRole>({
  type: CLUSTER_ROLES,
  name: 'path-segment',
  createOnUpdate: true,
  columns: [NAME, CREATED_AT],
  validate: ({ rules, aggregationRule }) => [...ruleProblems(rules, false), ...aggregationProblems(aggregationRule)],
})

type Binding = RoleBinding | ClusterRoleBinding

function bindingTable<T extends Binding>(type: ResourceType<T>, roleKinds: readonly string[]): KindTable {
  return kindTable<Binding>({
    type: type as ResourceType<Binding>,
    name: 'path-segment',
    createOnUpdate: true,
    columns: [
      NAME,
      text('Role', ({ roleRef }) => `${roleRef?.kind ?? ''}/${roleRef?.name ?? ''}`),
      AGE,
      wide('Users', (object) => subjectsOf(object, 'User').join(', ')),
      wide('Groups', (object) => subjectsOf(object, 'Group').join(', ')),
      wide('ServiceAccounts', (object) => subjectsOf(object, 'ServiceAccount').join(', ')),
    ],

    applyDefaults(object) {
      const roleRef = (object.roleRef ??= {})
      roleRef.apiGroup ||= GROUP
      for (const subject of object.subjects ?? []) {
        if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= GROUP
      }
    },

    validate({ roleRef = {}, subjects }) {
      const { apiGroup = '', kind = '', name = '' } = roleRef
      return [
        ...(apiGroup === GROUP ? [] : [notSupported('roleRef.apiGroup', apiGroup, [GROUP])]),
        ...(roleKinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, roleKinds)]),
        ...(name === ''
          ? [required('roleRef.name')]
          : invalidFor('roleRef.name', name, validateName('path-segment', name))),
        ...(subjects ?? []).flatMap((subject, index) =>
          subjectProblems(`subjects[${index}]`, subject, type.namespaced),
        ),
      ]
    },

    validateUpdate: (object, old) =>
      isEqualJson(object.roleRef, old.roleRef) ? [] : [invalid('roleRef', object.roleRef, 'cannot change roleRef')],
  })
}

export const ROLE_BINDING_KIND: KindTable = bindingTable(ROLE_BINDINGS, ['Role', 'ClusterRole'])
export const CLUSTER_ROLE_BINDING_KIND: KindTable = bindingTable(CLUSTER_ROLE_BINDINGS, ['ClusterRole'])

const subjectsOf = ({ subjects }: Loose<Binding>, kind: string): string[] =>
  (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(({ namespace = '', name = '' }) => (kind === 'ServiceAccount' ? `${namespace}/${name}` : name))

function ruleProblems(rules: readonly Loose<PolicyRule>[] | null | undefined, isNamespaced: boolean): FieldProblem[] {
  return (rules ?? []).flatMap((rule, index) => {
    const field = `rules[${index}]`
    const urls = rule.nonResourceURLs ?? []
    const verbs =
      (rule.verbs ?? []).length === 0 ? [required(`${field}.verbs`, 'verbs must contain at least one value')] : []
    const hasResources = [rule.apiGroups, rule.resources, rule.resourceNames].some((list) => (list ?? []).length > 0)
    if (urls.length > 0) {
      return [
        ...verbs,
        ...(isNamespaced
          ? [invalid(`${field}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs')]
          : []),
        ...(hasResources
          ? [
              invalid(
                `${field}.nonResourceURLs`,
                urls,
                'rules cannot apply to both regular resources and non-resource URLs',
              ),
            ]
          : []),
      ]
    }
    return [
      ...verbs,
      ...((rule.apiGroups ?? []).length === 0
        ? [required(`${field}.apiGroups`, 'resource rules must supply at least one api group')]
        : []),
      ...((rule.resources ?? []).length === 0
        ? [required(`${field}.resources`, 'resource rules must supply at least one resource')]
        : []),
    ]
  })
}

function aggregationProblems(rule: Loose<ClusterRole>['aggregationRule']): FieldProblem[] {
  if (!rule) return []
  const selectors = rule.clusterRoleSelectors ?? []
  const field = 'aggregationRule.clusterRoleSelectors'
  if (selectors.length === 0)
    return [required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return selectors.flatMap((selector, index) => labelSelectorProblems(`${field}[${index}]`, selector))
}

function subjectProblems(field: string, subject: Loose<Subject>, isNamespaced: boolean): FieldProblem[] {
  const { kind = '', apiGroup = '', name = '', namespace } = subject
  const missing = name === '' ? [required(`${field}.name`)] : []
  if (kind === 'ServiceAccount') {
    return [
      ...missing,
      ...(name === '' ? [] : invalidFor(`${field}.name`, name, validateName('subdomain', name))),
      ...(apiGroup === '' ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [''])]),
      ...(isNamespaced || namespace ? [] : [required(`${field}.namespace`)]),
    ]
  }
  if (!SUBJECT_KINDS.includes(kind)) return [...missing, notSupported(`${field}.kind`, kind, SUBJECT_KINDS)]
  return [...missing, ...(apiGroup === GROUP ? [] : [notSupported(`${field}.apiGroup`, apiGroup, [GROUP])])]
}
