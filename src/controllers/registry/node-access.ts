import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../api/kinds/rbac.ts'
import type { KubeObject } from '../../api/object.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import { ALPHA_GROUP, ALPHA_VERSION } from '../../compat/alpha-crds.ts'

const NAME = 'holdfast:csi-node-info'
const POLICY_NAME = 'csi-node-info.holdfast.dev'
const NODES_GROUP = 'system:nodes'
const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1', namespaced: false } as const
const POLICIES: ResourceType = {
  ...ADMISSION,
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
}
const POLICY_BINDINGS: ResourceType = {
  ...ADMISSION,
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
}

export type AccessObject = { readonly type: ResourceType; readonly object: KubeObject }

const access = (type: ResourceType, apiVersion: string, name: string, rest: object): AccessObject => ({
  type,
  object: {
    apiVersion,
    kind: type.kind,
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'holdfast' } },
    ...rest,
  },
})

/**
 * What lets a node write its own `CSINodeInfo`, and only that, on a server whose node authorizer does not know the kind. In this order:
 * the limit stands before the right is given.
 */
export const NODE_ACCESS: readonly AccessObject[] = [
  access(POLICIES, 'admissionregistration.k8s.io/v1', POLICY_NAME, {
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: [ALPHA_GROUP],
            apiVersions: [ALPHA_VERSION],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
            resources: ['csinodeinfos'],
          },
        ],
      },
      matchConditions: [{ name: 'by-a-node', expression: `'${NODES_GROUP}' in request.userInfo.groups` }],
      validations: [
        {
          expression: `request.userInfo.username == 'system:node:' + (request.operation == 'DELETE' ? oldObject : object).metadata.name`,
          message: 'a node can only write the CSINodeInfo of its own name',
        },
      ],
    },
  }),
  access(POLICY_BINDINGS, 'admissionregistration.k8s.io/v1', POLICY_NAME, {
    spec: { policyName: POLICY_NAME, validationActions: ['Deny'] },
  }),
  access(CLUSTER_ROLES, 'rbac.authorization.k8s.io/v1', NAME, {
    rules: [
      { apiGroups: [ALPHA_GROUP], resources: ['csinodeinfos'], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
      { apiGroups: [ALPHA_GROUP], resources: ['csidrivers'], verbs: ['get', 'list', 'watch'] },
    ],
  }),
  access(CLUSTER_ROLE_BINDINGS, 'rbac.authorization.k8s.io/v1', NAME, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: NODES_GROUP }],
  }),
]
