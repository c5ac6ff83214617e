import { stringify } from 'yaml'
import { SECRETS } from '../src/api/kinds/secret.ts'
import type { PolicyRule } from '../src/api/kinds/rbac.ts'
import { SNAPSHOT_CRDS } from '../src/apiserver/crd/snapshot-crds.ts'
import { REGISTRY_RIGHTS } from '../src/controllers/registry/index.ts'
import { SNAPSHOT_CONTROLLER_RIGHTS } from '../src/controllers/snapshot/index.ts'
import { formatRules, right } from '../src/kube/process/rights.ts'
import type { Right, Rights } from '../src/kube/process/rights.ts'
import { ATTACHER_RIGHTS } from '../src/sidecars/attacher/index.ts'
import { CLUSTER_REGISTRAR_RIGHTS } from '../src/sidecars/cluster-registrar/index.ts'
import { HEAL_RIGHTS } from '../src/sidecars/heal/index.ts'
import { HEALTH_MONITOR_RIGHTS } from '../src/sidecars/health-monitor/index.ts'
import { PROVISIONER_RIGHTS } from '../src/sidecars/provisioner/index.ts'
import { RESIZER_RIGHTS } from '../src/sidecars/resizer/index.ts'
import { SNAPSHOTTER_RIGHTS } from '../src/sidecars/snapshotter/index.ts'
import { SWEEP_RIGHTS } from '../src/sidecars/sweep/index.ts'
import type { SourceFile } from './source-file.ts'

/** The roles of `holdfast sidecar`, which share a pod with one driver. */
export const SIDECAR_RIGHTS: Readonly<Record<string, Rights>> = {
  provisioner: PROVISIONER_RIGHTS,
  attacher: ATTACHER_RIGHTS,
  resizer: RESIZER_RIGHTS,
  snapshotter: SNAPSHOTTER_RIGHTS,
  healthMonitor: HEALTH_MONITOR_RIGHTS,
}

/** Roles of `holdfast sidecar` that have to be asked for, and that no Go program has. */
export const OPTIONAL_RIGHTS: Readonly<Record<string, Rights>> = { sweep: SWEEP_RIGHTS, heal: HEAL_RIGHTS }

const SECRET_RULES = formatRules([right(SECRETS, 'get')])
const MADE_BY = '# Made by npm run generate from the rights that each role declares. Do not edit.\n'
const ACCOUNT = { name: 'csi-sidecar', namespace: 'default' }
const SECRETS_NAMESPACE = 'storage-secrets'

/** The RBAC manifests that follow from the declarations of the roles, and the definitions of snapshots. Writes nothing. */
export function generateManifests(): SourceFile[] {
  const all = Object.values(SIDECAR_RIGHTS)
  const cluster = formatRules(all.flatMap((rights) => rights.cluster))
  const ownNamespace = formatRules(all.flatMap((rights) => rights.ownNamespace))
  return [
    {
      path: 'examples/sidecar/rbac.yaml',
      text: join(
        `${MADE_BY}# The permissions of \`holdfast sidecar\` with all its roles.\n` +
          '# Secrets are not among them: add secrets-one-namespace.yaml or secrets-all-namespaces.yaml if the driver needs some.\n' +
          `apiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: ${ACCOUNT.name}\n  namespace: ${ACCOUNT.namespace}\n`,
        formatGranted({ name: ACCOUNT.name, rules: cluster }),
        `# In the namespace of the pod: its leases, and what --provisioner-enable-capacity publishes.\n` +
          formatGranted({ name: ACCOUNT.name, namespace: ACCOUNT.namespace, rules: ownNamespace }),
      ),
    },
    formatOptionalRole('sweep', SWEEP_RIGHTS, {
      cluster: 'it lists everything that has to do with volumes.',
      ownNamespace: 'its lease, and its journal.',
    }),
    formatOptionalRole('heal', HEAL_RIGHTS, {
      cluster: 'it reads who uses a volume, and removes the finalizer of an attachment that the driver has detached.',
      ownNamespace: 'its lease.',
    }),
    {
      path: 'examples/sidecar/secrets-one-namespace.yaml',
      text:
        `${MADE_BY}# The sidecar may read the secrets of one namespace: whoever creates storage classes and volumes has to name secrets there.\n` +
        formatGranted({ name: `${ACCOUNT.name}-secrets`, namespace: SECRETS_NAMESPACE, rules: SECRET_RULES }),
    },
    {
      path: 'examples/sidecar/secrets-all-namespaces.yaml',
      text:
        `${MADE_BY}# The sidecar may read every secret of the cluster. Only for inline volumes whose pods name a secret of their own namespace.\n` +
        formatGranted({ name: `${ACCOUNT.name}-secrets`, rules: SECRET_RULES }),
    },
    {
      path: 'examples/driver-registry/rbac.yaml',
      text: join(
        `${MADE_BY}# What the driver registry of Holdfast needs on a cluster that is not its own, without --node-access.\n` +
          formatRole({ name: 'holdfast-registry', rules: formatRules(REGISTRY_RIGHTS.cluster) }),
        '# What cluster-driver-registrar needs. Without the rules for csi.storage.k8s.io it creates the current object alone.\n' +
          formatRole({ name: 'cluster-driver-registrar', rules: formatRules(CLUSTER_REGISTRAR_RIGHTS.cluster) }),
      ),
    },
    { path: 'deploy/helm/holdfast-csi/files/rights.yaml', text: formatChartRights() },
    formatSnapshotCrds('snapshots', 'snapshot.storage.k8s.io'),
    formatSnapshotCrds('group-snapshots', 'groupsnapshot.storage.k8s.io'),
  ]
}

/** The definitions that `holdfast up` has from the start, for other clusters. */
const formatSnapshotCrds = (name: string, group: string): SourceFile => ({
  path: `deploy/snapshot-crds/${name}.yaml`,
  text:
    '# Made by npm run generate from src/apiserver/crd. Do not edit.\n' +
    join(
      ...SNAPSHOT_CRDS.filter(({ spec }) => spec.group === group).map((definition) =>
        stringify(definition, { aliasDuplicateObjects: false }),
      ),
    ),
})

/** The permissions of one role in a file of its own. */
function formatOptionalRole(
  role: string,
  rights: Rights,
  why: { readonly cluster: string; readonly ownNamespace: string },
): SourceFile {
  const name = `${ACCOUNT.name}-${role}`
  return {
    path: `examples/sidecar/rbac-${role}.yaml`,
    text: join(
      `${MADE_BY}# What \`holdfast sidecar --controllers=…,${role}\` needs beyond rbac.yaml: ${why.cluster}\n` +
        formatGranted({ name, rules: formatRules(rights.cluster) }),
      `# In the namespace of the pod: ${why.ownNamespace}\n` +
        formatGranted({ name, namespace: ACCOUNT.namespace, rules: formatRules(rights.ownNamespace) }),
    ),
  }
}

/** What the chart's templates read: the rules of each role by its name in `values.yaml`. */
function formatChartRights(): string {
  const roles = Object.entries({
    ...SIDECAR_RIGHTS,
    ...OPTIONAL_RIGHTS,
    snapshotController: SNAPSHOT_CONTROLLER_RIGHTS,
  })
  const listOf = (rights: readonly Right[], indent: string): string => formatRuleList(formatRules(rights), indent)
  const blocks = roles.map(
    ([name, { cluster, ownNamespace, readsSecrets, upstream = { cluster: [], ownNamespace: [] } }]) =>
      `${name}:\n  readsSecrets: ${readsSecrets}\n  cluster:\n${listOf(cluster, '    ')}` +
      `  ownNamespace:\n${listOf(ownNamespace, '    ')}` +
      '  # What the Go program needs beyond that: granted with sidecars=upstream only.\n' +
      `  upstream:\n    cluster:\n${listOf(upstream.cluster, '      ')}    ownNamespace:\n${listOf(upstream.ownNamespace, '      ')}`,
  )
  return `${MADE_BY}${blocks.join('')}`
}

type RoleSpec = { name: string; namespace?: string; rules: readonly PolicyRule[] }

function formatGranted(spec: RoleSpec): string {
  const kind = spec.namespace === undefined ? 'ClusterRole' : 'Role'
  return join(
    formatRole(spec),
    `${formatHead(`${kind}Binding`, spec)}subjects:\n  - kind: ServiceAccount\n    name: ${ACCOUNT.name}\n    namespace: ${ACCOUNT.namespace}\n` +
      `roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: ${kind}\n  name: ${spec.name}\n`,
  )
}

const formatRole = (spec: RoleSpec): string =>
  `${formatHead(spec.namespace === undefined ? 'ClusterRole' : 'Role', spec)}rules:\n${formatRuleList(spec.rules, '  ')}`

const formatHead = (kind: string, { name, namespace }: RoleSpec): string =>
  `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: ${name}\n${namespace === undefined ? '' : `  namespace: ${namespace}\n`}`

const formatRuleList = (rules: readonly PolicyRule[], indent: string): string =>
  rules
    .map(
      ({ apiGroups = [], resources = [], verbs }) =>
        `${indent}- apiGroups: [${apiGroups.map((group) => group || '""').join(', ')}]\n` +
        `${indent}  resources: [${resources.join(', ')}]\n${indent}  verbs: [${verbs.join(', ')}]\n`,
    )
    .join('')

const join = (...documents: readonly string[]): string => documents.join('---\n')
