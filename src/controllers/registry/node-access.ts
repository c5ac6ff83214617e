import { ignoreAlreadyExists, ignoreNotFound, isNotFound } from '../../api/api-error.ts'
import {
  VALIDATING_ADMISSION_POLICIES,
  VALIDATING_ADMISSION_POLICY_BINDINGS,
} from '../../api/kinds/admission-registration.ts'
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES } from '../../api/kinds/rbac.ts'
import { refOf } from '../../api/object-key.ts'
import type { KubeObject } from '../../api/object.ts'
import { apiVersionOf } from '../../api/resource-type.ts'
import type { ResourceType } from '../../api/resource-type.ts'
import type { BackoffOptions } from '../../base/backoff.ts'
import { ALPHA_GROUP, ALPHA_VERSION } from '../../compat/alpha-crds.ts'
import { definePeriodic } from '../../kube/controller/index.ts'
import type { ControllerRole } from '../../kube/controller/index.ts'
import type { RegistryConfig } from './registry-options.ts'

const NAME = 'holdfast:csi-node-info'
const POLICY_NAME = 'csi-node-info.holdfast.dev'
const NODES_GROUP = 'system:nodes'

type AccessObject = { readonly type: ResourceType; readonly object: KubeObject }

const access = (type: ResourceType, name: string, rest: object): AccessObject => ({
  type,
  object: {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'holdfast' } },
    ...rest,
  },
})

/**
 * Lets a node write its own `CSINodeInfo`, and only that, on a server whose node authorizer does not know the kind. In this order, the restriction
 * exists before the permission is granted.
 */
const NODE_ACCESS: readonly AccessObject[] = [
  access(VALIDATING_ADMISSION_POLICIES, POLICY_NAME, {
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
  access(VALIDATING_ADMISSION_POLICY_BINDINGS, POLICY_NAME, {
    spec: { policyName: POLICY_NAME, validationActions: ['Deny'] },
  }),
  access(CLUSTER_ROLES, NAME, {
    rules: [
      { apiGroups: [ALPHA_GROUP], resources: ['csinodeinfos'], verbs: ['get', 'create', 'update', 'patch', 'delete'] },
      { apiGroups: [ALPHA_GROUP], resources: ['csidrivers'], verbs: ['get', 'list', 'watch'] },
    ],
  }),
  access(CLUSTER_ROLE_BINDINGS, NAME, {
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: NODES_GROUP }],
  }),
]

/**
 * Checks periodically that nodes may write their own `CSINodeInfo`. Creates missing objects, and changes no existing ones. If the restriction cannot
 * be created, no permission is granted.
 */
export const defineNodeAccess = (
  { crdCheckMs }: RegistryConfig,
  { api, createQueue }: ControllerRole,
  backoff: BackoffOptions,
) =>
  definePeriodic({
    name: 'registry-node-access',
    queue: createQueue({ name: 'registry-node-access', lanes: { default: 1 }, backoff }),
    intervalMs: crdCheckMs,
    act: async ({ log }) => {
      for (const { type, object } of NODE_ACCESS) {
        if (await api.get(type, refOf(object)).catch(ignoreNotFound)) continue
        try {
          const created = await api.create(type, object).catch(ignoreAlreadyExists)
          if (created) log.info('access of nodes set up', { kind: type.kind, name: object.metadata.name })
        } catch (error) {
          // The server has no such kind.
          if (!isNotFound(error)) throw error
          const what = 'nodes get no permission to write CSINodeInfo: the server cannot limit it to their own'
          return log.warn(what, { kind: type.kind })
        }
      }
    },
  })
