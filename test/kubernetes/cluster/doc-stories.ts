import { deepEqual, equal, notDeepEqual, ok } from 'node:assert/strict'
import { parse } from 'yaml'
import { CSI_DRIVERS } from '../../../src/api/kinds/csi-driver.ts'
import { NAMESPACES } from '../../../src/api/kinds/namespace.ts'
import { PODS } from '../../../src/api/kinds/pod.ts'
import type { Container, Pod } from '../../../src/api/kinds/pod.ts'
import { CLUSTER_ROLE_BINDINGS } from '../../../src/api/kinds/rbac.ts'
import { SERVICE_ACCOUNTS } from '../../../src/api/kinds/service-account.ts'
import { STORAGE_CLASSES } from '../../../src/api/kinds/storage-class.ts'
import { GO_SIDECARS, UPSTREAM_IMAGES, withoutGoSidecars } from './build-test-images.ts'
import { blocksOf, openShell } from './doc-commands.ts'
import type { Shell } from './doc-commands.ts'
import { sharedDriverValues } from './driver-values.ts'
import type { ClusterStage } from './open-cluster-stage.ts'
import { POD_LIMIT } from './release.ts'
import type { Release } from './release.ts'
import { holdersOf, runningContainers } from './story-helpers.ts'
import type { Tell } from './story-helpers.ts'

// The names that docs/production.md uses.
const NAME = 'my-driver'
const DRIVER = 'csi.example.com'
const PAGE = 'docs/production.md'

type Follower = { shell: Shell; release: Release; values: object; follow(heading: string): Promise<void> }

/** Somebody with the page in front of them. The class has the name of the release. */
async function openFollower(stage: ClusterStage): Promise<Follower> {
  const values = sharedDriverValues({ driver: DRIVER, backend: `${stage.backend}-${NAME}` })
  const release = await stage.openRelease({ name: NAME, namespace: NAME, driver: DRIVER, values })
  const shell = await openShell(`${stage.backend}/..`, stage.kubeconfig)
  shell.write('my-values.yaml', values)
  const metadata = { name: NAME }
  await stage.api.create(STORAGE_CLASSES, {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata,
    provisioner: DRIVER,
    allowVolumeExpansion: true,
  })
  const follow = async (heading: string): Promise<void> => {
    for (const block of blocksOf(PAGE, heading, 'sh')) await shell.run(block)
  }
  return { shell, release, values, follow }
}

async function leave(stage: ClusterStage, { release }: Follower): Promise<void> {
  await release.uninstall()
  await stage.api.delete(STORAGE_CLASSES, { name: NAME })
  await stage.api.delete(NAMESPACES, { name: NAME })
  await stage.untilGone(NAMESPACES, { name: NAME })
}

/** A pod that uses a volume for as long as the story lasts: its container must never restart. */
async function useThroughout(stage: ClusterStage, name: string): Promise<() => Promise<void>> {
  await stage.createClaim(name, { storageClassName: NAME })
  await stage.createPod(name, 'while echo used > /data/file && sync; do sleep 1; done', { claim: name })
  const { metadata } = await stage.untilRunning(name)
  return async () => {
    const { status } = await stage.api.get(PODS, { namespace: metadata.namespace ?? '', name })
    deepEqual([status?.phase, status?.containerStatuses?.[0]?.restartCount], ['Running', 0], 'the pod kept its volume')
    await stage.deletePod(name)
    await stage.removeClaim(name)
  }
}

async function useNewVolume(stage: ClusterStage, claim: string): Promise<void> {
  await stage.createClaim(claim, { storageClassName: NAME })
  equal(await stage.runPod(claim, 'echo ok > /data/f; cat /data/f > /result', { claim }), 'ok\n')
  await stage.removeClaim(claim)
}

const uidsOf = (pods: readonly Pod[]): string[] => pods.map(({ metadata }) => metadata.uid ?? '').sort()
const imagesOf = (pods: readonly Pod[]): Record<string, string> =>
  Object.fromEntries(
    pods.flatMap(({ spec }) => spec.containers.map(({ name, image = '' }): [string, string] => [name, image])),
  )

/** docs/production.md, command by command. */
export function tellDocStories(tell: Tell): void {
  tell('docs/production.md: install, and upgrade in the order of document 003', async (stage) => {
    const follower = await openFollower(stage)
    const { release, shell, follow, values } = follower
    await follow('Install')
    const end = await useThroughout(stage, 'kept-by-upgrade')
    const before = await release.pods('csi-node')
    shell.write('new-values.yaml', {
      ...values,
      node: { podAnnotations: { 'example.com/version': '2' } },
    })
    await follow('Upgrade')
    const nodes = await release.pods('csi-node')
    const controllers = await release.pods('csi-controller')
    equal(controllers.length, 2)
    for (const pod of nodes) equal(pod.metadata.annotations?.['example.com/version'], '2')
    notDeepEqual(uidsOf(nodes), uidsOf(before))
    const started = (pods: readonly Pod[]): string[] => pods.map(({ status }) => String(status?.startTime)).sort()
    const lastNode = started(nodes).at(-1) ?? ''
    ok(
      started(controllers).every((time) => time >= lastNode),
      'the controller part came up last',
    )
    await useNewVolume(stage, 'after-upgrade')
    await end()
    await leave(stage, follower)
  })

  tell(
    'docs/production.md: from the Go sidecars to Holdfast, and back with helm rollback, while a volume is in use',
    async (stage) => {
      const follower = await openFollower(stage)
      const { release, shell, values } = follower
      const upstream = { ...values, sidecars: 'upstream', images: { pullPolicy: 'Never', upstream: UPSTREAM_IMAGES } }
      shell.write('my-values.yaml', upstream)
      for (const block of blocksOf(PAGE, 'Install', 'sh')) await shell.run(block)
      const containers = async () => (await release.pods('csi-controller')).map(runningContainers)
      const go = [...GO_SIDECARS, 'csi-driver', 'liveness-probe'].sort()
      deepEqual(await containers(), [go, go])
      const end = await useThroughout(stage, 'kept-by-switch')

      const [there, back] = blocksOf(PAGE, 'Switch from the Go sidecars, and back', 'sh')
      await shell.run(there ?? '')
      const ours = ['csi-driver', 'csi-sidecar', 'liveness-probe']
      deepEqual(await containers(), [ours, ours])
      await useNewVolume(stage, 'after-switch')
      await shell.run(back ?? '')
      deepEqual(await containers(), [go, go])
      await useNewVolume(stage, 'after-rollback')
      await end()
      await leave(stage, follower)
    },
    withoutGoSidecars(),
  )

  tell(
    'docs/production.md: existing manifests change their images, go back, and are taken over by Helm',
    async (stage) => {
      const follower = await openFollower(stage)
      const { release, shell, values } = follower
      const upstream = { ...values, sidecars: 'upstream', images: { pullPolicy: 'Never', upstream: UPSTREAM_IMAGES } }
      shell.write('existing-values.json', upstream)
      // Manifests that somebody wrote: with labels and selectors of their own.
      await shell.run(
        `helm template ${NAME} deploy/helm/holdfast-csi --namespace ${NAME} --values existing-values.json --kube-version 1.36 | ` +
          `grep -v managed-by: | sed 's#app.kubernetes.io/instance:#example.com/driver:#' | kubectl apply -f -`,
      )
      const rolledOut = `for each in deployment/${NAME}-controller daemonset/${NAME}-node; do kubectl --namespace ${NAME} rollout status $each; done`
      await shell.run(rolledOut)
      const end = await useThroughout(stage, 'kept-by-adoption')
      const existing = async (): Promise<Pod[]> => {
        const { items } = await stage.api.list(PODS, { namespace: NAME, labelSelector: 'example.com/driver' })
        return items.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      }

      const [change, undo, takeOver] = blocksOf(PAGE, 'Adopt existing manifests', 'sh')
      await shell.run(change ?? '')
      equal(imagesOf(await existing())['csi-provisioner'], 'localhost/csi-provisioner:0.1.0')
      equal(imagesOf(await existing())['csi-attacher'], 'localhost/csi-attacher:0.1.0')
      await useNewVolume(stage, 'after-change')
      await shell.run(undo ?? '')
      equal(imagesOf(await existing())['csi-provisioner'], UPSTREAM_IMAGES.provisioner)
      await useNewVolume(stage, 'after-undo')

      await shell.run(takeOver ?? '')
      deepEqual(await existing(), [])
      deepEqual((await release.pods('csi-controller')).map(runningContainers), [
        ['csi-driver', 'csi-sidecar', 'liveness-probe'],
        ['csi-driver', 'csi-sidecar', 'liveness-probe'],
      ])
      await useNewVolume(stage, 'after-adoption')
      ok(Object.keys(holdersOf(await release.leases())).length >= 4)
      await end()
      await leave(stage, follower)
    },
    withoutGoSidecars(),
  )

  tell(
    'S3-128: cluster-driver-registrar, as docs/driver-registry.md has it, creates the CSIDriver of the driver beside it',
    async (stage) => {
      const namespace = 'csi-announced'
      const driver = 'announced.test.holdfast.dev'
      await stage.api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
      const shell = await openShell(`${stage.backend}/..`, stage.kubeconfig)
      await shell.run('kubectl apply -f deploy/../examples/driver-registry/rbac.yaml')
      await stage.until(SERVICE_ACCOUNTS, { namespace, name: 'default' }, (account) => account !== undefined)
      const metadata = { name: 'announced' }
      await stage.api.create(CLUSTER_ROLE_BINDINGS, {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata,
        subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }],
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-driver-registrar' },
      })
      const [block = ''] = blocksOf('docs/driver-registry.md', 'Create it with the driver', 'yaml')
      const { containers } = parse(block) as { containers: Container[] }
      const { driver: parts } = sharedDriverValues({ driver, backend: `${stage.backend}-announced` })
      const socket = { name: 'socket', mountPath: '/csi' }
      const { container, volumes } = parts.controller
      await stage.api.create(PODS, {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...metadata, namespace },
        spec: {
          containers: [
            {
              name: 'csi-driver',
              ...container,
              env: [{ name: 'CSI_ENDPOINT', value: 'unix:///csi/csi.sock' }],
              volumeMounts: [...container.volumeMounts, socket],
            },
            ...containers.map((each) => ({
              ...each,
              image: 'localhost/holdfast:0.1.0',
              imagePullPolicy: 'Never' as const,
              securityContext: { runAsUser: 0 },
              volumeMounts: [socket],
            })),
          ],
          volumes: [...volumes, { name: 'socket', emptyDir: {} }],
        },
      })
      const isReady = (pod?: Pod): boolean =>
        pod?.status?.containerStatuses?.length === 2 && pod.status.containerStatuses.every(({ ready }) => ready)
      await stage.until(PODS, { namespace, ...metadata }, isReady, POD_LIMIT)
      const made = await stage.until(CSI_DRIVERS, { name: driver }, (found) => found !== undefined, POD_LIMIT)
      deepEqual([made?.spec.attachRequired, made?.spec.podInfoOnMount], [true, true])
      await stage.api.delete(NAMESPACES, { name: namespace })
      await stage.api.delete(CSI_DRIVERS, { name: driver })
      await stage.api.delete(CLUSTER_ROLE_BINDINGS, metadata)
    },
  )
}
