import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { OPTIONAL_RIGHTS, SIDECAR_RIGHTS } from '../../../scripts/generate-manifests.ts'
import { ROOT } from '../../../scripts/run.ts'
import { NAMESPACES } from '../../../src/api/kinds/namespace.ts'
import type { PolicyRule } from '../../../src/api/kinds/rbac.ts'
import type { Container, PodSpec } from '../../../src/api/kinds/pod.ts'
import type { KubeObject } from '../../../src/api/object.ts'
import { SNAPSHOT_CRDS } from '../../../src/apiserver/crd/snapshot-crds.ts'
import { formatRules } from '../../../src/kube/process/rights.ts'
import { connectAdmin } from '../sidecar-stage.ts'
import { startAuditedHoldfast, startAuditedKubernetes } from '../start-audited-server.ts'
import type { AuditedServer } from '../start-audited-server.ts'
import { CHART, EXAMPLE_VALUES, helm, renderExample } from './chart.ts'
import { blocksOf, openShell } from './doc-commands.ts'

type Rendered = KubeObject & {
  readonly rules?: readonly PolicyRule[]
  readonly spec?: { readonly replicas?: number; readonly template?: { readonly spec: PodSpec } }
}

const NAMESPACE = 'csi-example'
const UPSTREAM = {
  sidecars: 'upstream',
  ...Object.fromEntries(
    ['provisioner', 'attacher', 'resizer', 'snapshotter', 'livenessProbe', 'nodeDriverRegistrar'].map((name) => [
      `images.upstream.${name}`,
      `your-registry/${name}:v1`,
    ]),
  ),
}
const objectsIn = (text: string): Rendered[] =>
  parseAllDocuments(text)
    .map((document) => document.toJS() as Rendered | null)
    .filter((object) => object !== null)
const find = (objects: readonly Rendered[], kind: string): Rendered | undefined =>
  objects.find((object) => object.kind === kind)
const podOf = (objects: readonly Rendered[], kind: string): PodSpec => {
  const spec = find(objects, kind)?.spec?.template?.spec
  ok(spec, `no ${kind}`)
  return spec
}
const namesOf = ({ containers }: PodSpec): string[] => containers.map(({ name }) => name)
const containerOf = ({ containers }: PodSpec, name: string): Container => {
  const container = containers.find((each) => each.name === name)
  ok(container, `no container ${name}`)
  return container
}
const secretRules = (objects: readonly Rendered[]): [string, string | undefined][] =>
  objects
    .filter(({ rules = [] }) => rules.some(({ resources = [] }) => resources.includes('secrets')))
    .map(({ kind, metadata }) => [kind ?? '', metadata.namespace])

const byResource = (rules: readonly PolicyRule[] = []): string[] =>
  rules
    .map(({ apiGroups = [], resources = [], verbs }) => `${apiGroups[0]}/${resources[0]} ${[...verbs].sort().join()}`)
    .sort()

test('helm lint finds nothing to complain about', async () => {
  const printed = await helm(['lint', '--strict', CHART, `--values=${EXAMPLE_VALUES}`])
  match(printed, /1 chart\(s\) linted, 0 chart\(s\) failed/)
})

// Run with HOLDFAST_UPDATE_GOLDEN=1 to write them again, and explain the difference.
for (const [file, values] of [
  ['deploy/kustomize/base/driver.yaml', {}],
  [
    'deploy/kustomize/components/secrets-in-one-namespace/secrets.yaml',
    { 'rbac.secrets': 'namespace', 'rbac.secretsNamespace': 'storage-secrets' },
  ],
  ['deploy/kustomize/components/secrets-in-all-namespaces/secrets.yaml', { 'rbac.secrets': 'cluster' }],
] as const) {
  test(`${file} is what the chart renders`, async () => {
    const only = file.includes('secrets') ? ['--show-only=templates/rbac-secrets.yaml'] : []
    const rendered = (await renderExample({ ...values }, ...only)).replaceAll(
      /^ *app.kubernetes.io\/managed-by: Helm\n/gm,
      '',
    )
    const path = join(ROOT, file)
    if (process.env['HOLDFAST_UPDATE_GOLDEN']) writeFileSync(path, rendered)
    equal(rendered, readFileSync(path, 'utf8'))
  })
}

test('H60: the sidecars read no secrets unless told, those of one namespace, or all', async () => {
  deepEqual(secretRules(objectsIn(await renderExample())), [])
  const one = { 'rbac.secrets': 'namespace', 'rbac.secretsNamespace': 'vault' }
  deepEqual(secretRules(objectsIn(await renderExample(one))), [['Role', 'vault']])
  deepEqual(secretRules(objectsIn(await renderExample({ 'rbac.secrets': 'cluster' }))), [['ClusterRole', undefined]])
  // No enabled role reads any.
  const disabled = ['provisioner', 'attacher', 'resizer', 'snapshotter'].map((role) => [
    `roles.${role}.enabled`,
    'false',
  ])
  const healthAlone = { ...Object.fromEntries(disabled), 'roles.healthMonitor.enabled': 'true' }
  const rendered = await renderExample({ ...healthAlone, 'rbac.secrets': 'cluster' })
  match(rendered, /--controllers=health-monitor$/m)
  deepEqual(secretRules(objectsIn(rendered)), [])
})

test('a role that is disabled gets no permissions, and the others exactly what they declare', async () => {
  const alone = {
    'roles.provisioner.enabled': 'false',
    'roles.resizer.enabled': 'false',
    'roles.snapshotter.enabled': 'false',
  }
  const objects = objectsIn(await renderExample(alone))
  const attacher = SIDECAR_RIGHTS['attacher']
  deepEqual(byResource(find(objects, 'ClusterRole')?.rules), byResource(formatRules(attacher?.cluster ?? [])))
  deepEqual(byResource(find(objects, 'Role')?.rules), byResource(formatRules(attacher?.ownNamespace ?? [])))
  deepEqual(containerOf(podOf(objects, 'Deployment'), 'csi-sidecar').args?.includes('--controllers=attacher'), true)
})

for (const role of ['sweep', 'heal'])
  test(`the role ${role} runs with what it declares, and not with sidecars=upstream`, async () => {
    const disabled = ['provisioner', 'attacher', 'resizer', 'snapshotter'].map((each) => [
      `roles.${each}.enabled`,
      'false',
    ])
    const alone = { ...Object.fromEntries(disabled), [`roles.${role}.enabled`]: 'true' }
    const objects = objectsIn(await renderExample({ ...alone, [`roles.${role}.args[0]`]: `--${role}-timeout=9s` }))
    const args = containerOf(podOf(objects, 'Deployment'), 'csi-sidecar').args ?? []
    ok(args.includes(`--controllers=${role}`), args.join(' '))
    ok(args.includes(`--${role}-timeout=9s`), args.join(' '))
    const { cluster = [], ownNamespace = [] } = OPTIONAL_RIGHTS[role] ?? {}
    deepEqual(byResource(find(objects, 'ClusterRole')?.rules), byResource(formatRules(cluster)))
    deepEqual(byResource(find(objects, 'Role')?.rules), byResource(formatRules(ownNamespace)))
    const theirs = objectsIn(await renderExample({ ...UPSTREAM, [`roles.${role}.enabled`]: 'true' }))
    deepEqual(theirs, objectsIn(await renderExample(UPSTREAM)))
  })

test('S3-129, S3-130, S3-132: sidecars=upstream exchanges the containers of the helpers, and nothing else of the pods', async () => {
  const [ours, theirs] = [objectsIn(await renderExample()), objectsIn(await renderExample(UPSTREAM))]
  deepEqual(namesOf(podOf(ours, 'Deployment')), ['csi-driver', 'csi-sidecar', 'liveness-probe'])
  deepEqual(namesOf(podOf(theirs, 'Deployment')), [
    'csi-driver',
    'csi-provisioner',
    'csi-attacher',
    'csi-resizer',
    'csi-snapshotter',
    'liveness-probe',
  ])
  const rest = (objects: readonly Rendered[], kind: string): object => ({
    ...podOf(objects, kind),
    containers: [containerOf(podOf(objects, kind), 'csi-driver')],
  })
  for (const kind of ['Deployment', 'DaemonSet']) deepEqual(rest(theirs, kind), rest(ours, kind))
})

test('permissions that only the Go sidecars need are granted with sidecars=upstream, and not otherwise', async () => {
  const [ours, theirs] = [objectsIn(await renderExample()), objectsIn(await renderExample(UPSTREAM))]
  const granted = (objects: readonly Rendered[], kind: string): string[] =>
    (find(objects, kind)?.rules ?? []).flatMap(({ resources = [], verbs }) =>
      verbs.map((verb) => `${verb} ${resources[0]}`),
    )
  for (const [kind, only] of [
    ['ClusterRole', 'update volumesnapshotcontents'],
    ['Role', 'delete leases'],
  ] as const) {
    const before = granted(ours, kind)
    const after = granted(theirs, kind)
    deepEqual(
      before.filter((each) => !after.includes(each)),
      [],
      'a switch takes nothing away from the other side',
    )
    ok(!before.includes(only))
    ok(after.includes(only))
    equal(new Set(after).size, after.length, 'each verb once')
  }
})

test('S3-138: everything in one DaemonSet, with leader election', async () => {
  const objects = objectsIn(await renderExample({ 'controller.kind': 'DaemonSet' }))
  equal(find(objects, 'Deployment'), undefined)
  const pod = podOf(objects, 'DaemonSet')
  deepEqual(namesOf(pod), ['csi-driver', 'node-driver-registrar', 'csi-sidecar', 'liveness-probe'])
  ok(containerOf(pod, 'csi-sidecar').args?.includes('--leader-election'))
  await rejects(
    renderExample({ 'controller.kind': 'DaemonSet', 'controller.leaderElection.enabled': 'false' }),
    /needs controller.leaderElection/,
  )
})

test('S3-139: one replica of a StatefulSet runs without leader election; several do not', async () => {
  const alone = { 'controller.kind': 'StatefulSet', 'controller.leaderElection.enabled': 'false' }
  const objects = objectsIn(await renderExample({ ...alone, 'controller.replicas': '1' }))
  equal(find(objects, 'StatefulSet')?.spec?.replicas, 1)
  ok(!containerOf(podOf(objects, 'StatefulSet'), 'csi-sidecar').args?.includes('--leader-election'))
  await rejects(renderExample({ ...alone, 'controller.replicas': '2' }), /several replicas need/)
})

test('S3-140, S3-141: a Deployment has leader election, with several replicas or with one', async () => {
  for (const replicas of [2, 1]) {
    const objects = objectsIn(await renderExample({ 'controller.replicas': String(replicas) }))
    equal(find(objects, 'Deployment')?.spec?.replicas, replicas)
    ok(containerOf(podOf(objects, 'Deployment'), 'csi-sidecar').args?.includes('--leader-election'))
  }
  await rejects(
    renderExample({ 'controller.replicas': '1', 'controller.leaderElection.enabled': 'false' }),
    /needs controller.leaderElection/,
  )
})

test('S3-142: the containers with credentials can be confined to nodes without user pods', async () => {
  const objects = objectsIn(
    await renderExample({
      'controller.nodeSelector.infrastructure': 'yes',
      'controller.tolerations[0].key': 'infrastructure',
      'controller.tolerations[0].effect': 'NoSchedule',
    }),
  )
  const { nodeSelector, tolerations } = podOf(objects, 'Deployment')
  deepEqual(nodeSelector, { infrastructure: 'yes' })
  deepEqual(tolerations, [{ effect: 'NoSchedule', key: 'infrastructure' }])
  equal(podOf(objects, 'DaemonSet').nodeSelector, undefined, 'the node part stays on every node')
})

test('budget, network policy, service and service monitor select the pods of the controller', async () => {
  const objects = objectsIn(await renderExample({ 'metrics.serviceMonitor.enabled': 'true' }))
  const specOf = (kind: string): Record<string, unknown> => (find(objects, kind)?.spec ?? {}) as Record<string, unknown>
  const template = specOf('Deployment')['template'] as { metadata: { labels: Record<string, string> } }
  const selectors = [
    (specOf('PodDisruptionBudget')['selector'] as { matchLabels: object }).matchLabels,
    (specOf('NetworkPolicy')['podSelector'] as { matchLabels: object }).matchLabels,
    specOf('Service')['selector'] as object,
  ]
  for (const selector of selectors) deepEqual({ ...template.metadata.labels, ...selector }, template.metadata.labels)
  const monitored = (specOf('ServiceMonitor')['selector'] as { matchLabels: object }).matchLabels
  const labels = find(objects, 'Service')?.metadata.labels ?? {}
  deepEqual({ ...labels, ...monitored }, labels)
  equal(podOf(objects, 'Deployment').priorityClassName, 'system-cluster-critical')
  equal(podOf(objects, 'DaemonSet').priorityClassName, 'system-node-critical')
})

describe('values that the chart refuses', () => {
  for (const [path, value, message] of [
    ['sidecars', 'go', "at '/sidecars': value must be one of 'holdfast', 'upstream'"],
    ['controler.replicas', '3', "additional properties 'controler' not allowed"],
    ['driver.controller.image', 'driver:v1', "at '/driver/controller': additional properties 'image' not allowed"],
    ['roles.provisionr.enabled', 'false', "at '/roles': additional properties 'provisionr' not allowed"],
    ['roles.attacher', 'null', "at '/roles': missing property 'attacher'"],
    ['roles.attacher.args', '--timeout=9s', "at '/roles/attacher/args': got string, want array"],
    ['controller.replicas', 'two', "at '/controller/replicas': got string, want integer"],
    ['controller.kind', 'Pod', "value must be one of 'Deployment', 'StatefulSet', 'DaemonSet'"],
    ['controller.leaderElection.leaseDuration', '15', "leaseDuration': got number, want string"],
    ['driver.name', 'My_Driver', "at '/driver/name': 'My_Driver' does not match pattern"],
    ['driver.name', '', 'driver.name is required: the name of the CSI driver'],
    ['driver.node.container', 'null', "at '/driver/node': missing property 'container'"],
    ['images.holdfast', '', "at '/images/holdfast': minLength"],
    ['metrics.port', '99999', "at '/metrics/port': maximum"],
    ['node.kubeletDir', 'kubelet', "at '/node/kubeletDir': 'kubelet' does not match pattern"],
    ['rbac.secrets', 'all', "value must be one of 'none', 'namespace', 'cluster'"],
    ['rbac.secrets', 'namespace', 'rbac.secrets=namespace needs rbac.secretsNamespace'],
  ] as const)
    test(`${path}=${value}`, () =>
      rejects(renderExample({ [path]: value }), (error: Error) => error.message.includes(message)))

  test('no role at all', () => {
    const roles = ['provisioner', 'attacher', 'resizer', 'snapshotter']
    const disabled = Object.fromEntries(roles.map((role) => [`roles.${role}.enabled`, 'false']))
    return rejects(renderExample(disabled), /at least one role has to be enabled/)
  })
})

test('defaults that somebody removes are left out', async () => {
  const removed = ['node.tolerations', 'controller.affinity', 'controller.resources', 'controller.nodeSelector']
  const objects = objectsIn(await renderExample(Object.fromEntries(removed.map((path) => [path, 'null']))))
  equal(podOf(objects, 'DaemonSet').tolerations, undefined)
})

test('every workload pulls its images with the secrets', async () => {
  const objects = objectsIn(
    await renderExample({ 'images.pullSecrets[0].name': 'registry', 'snapshotController.enabled': 'true' }),
  )
  const pods = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'DaemonSet')
  equal(pods.length, 3)
  for (const { metadata, spec } of pods)
    deepEqual(spec?.template?.spec.imagePullSecrets, [{ name: 'registry' }], metadata.name)
})

const hasKubectl = (): boolean => {
  try {
    execFileSync('kubectl', ['version', '--client'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe('kubectl apply --dry-run=server', { skip: hasKubectl() ? false : 'kubectl is not on the PATH' }, () => {
  const applyTo = async (
    server: AuditedServer,
    values: Record<string, string>,
    overlay?: string,
  ): Promise<string[]> => {
    const { api, close } = await connectAdmin(server)
    for (const name of [NAMESPACE, 'storage-secrets'])
      await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
    close()
    const apply = (input: string, ...args: string[]): string[] =>
      execFileSync(
        'kubectl',
        [`--kubeconfig=${server.kubeconfig()}`, 'apply', '--dry-run=server', '--validate=strict', ...args],
        { input, encoding: 'utf8', stdio: 'pipe' },
      )
        .trim()
        .split('\n')
    const rendered = await renderExample({ 'snapshotController.enabled': 'true', 'rbac.secrets': 'cluster', ...values })
    equal(apply(rendered, '-f', '-').length, objectsIn(rendered).length)
    equal(apply('', '-f', join(ROOT, 'deploy/snapshot-crds')).length, SNAPSHOT_CRDS.length)
    return overlay === undefined ? [] : apply('', '-k', overlay)
  }

  /** As docs/production.md has it, but for its last command: no container runs here. */
  const installSnapshotController = async (server: AuditedServer): Promise<void> => {
    const directory = mkdtempSync(join(tmpdir(), 'holdfast-chart-'))
    try {
      const shell = await openShell(directory, server.kubeconfig())
      const [block = ''] = blocksOf('docs/production.md', 'Snapshots', 'sh')
      const [wait = '', ...install] = block.trim().split('\n').reverse()
      await shell.run(install.reverse().join('\n'))
      match(wait, / rollout status /)
      await shell.run(wait.replace('rollout status', 'get'))
      await shell.run('kubectl get volumesnapshots,volumegroupsnapshots --all-namespaces')
    } finally {
      rmSync(directory, { recursive: true })
    }
  }

  test('kube-apiserver accepts every object of the chart and of the kustomize example', async () => {
    const server = await startAuditedKubernetes({ users: {} })
    try {
      const applied = await applyTo(server, {}, join(ROOT, 'deploy/kustomize/example'))
      const base = objectsIn(readFileSync(join(ROOT, 'deploy/kustomize/base/driver.yaml'), 'utf8'))
      equal(applied.length, base.length + 4, 'the base, two namespaces, and a Role with its binding')
      await installSnapshotController(server)
    } finally {
      await server.stop()
    }
  })

  test('our API server accepts every object of the chart and of the kustomize example', async () => {
    const server = await startAuditedHoldfast({ users: {} })
    try {
      await applyTo(server, {}, join(ROOT, 'deploy/kustomize/example'))
    } finally {
      await server.stop()
    }
  })
})
