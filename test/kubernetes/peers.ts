import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { run } from '../../scripts/run.ts'
import { chosenMinor, KUBERNETES_RELEASES, NEWEST, releaseVariables, writeReleaseModule } from './kubernetes-release.ts'

// Each peer is a Go module of its own under peers/, so that one's dependencies never move another's.
const PACKAGES = {
  agnhost: 'k8s.io/kubernetes/test/images/agnhost',
  'calico-csi': '.',
  'csi-mock': '.',
  'csi-sanity': 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity',
  'dump-descriptor': '.',
  e2e: 'k8s.io/kubernetes/test/e2e',
  etcd: 'go.etcd.io/etcd/server/v3',
  'gce-pd-csi': '.',
  ginkgo: 'github.com/onsi/ginkgo/v2/ginkgo',
  helm: 'helm.sh/helm/v3/cmd/helm',
  helm4: 'helm.sh/helm/v4/cmd/helm',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
} as const

export type PeerName = keyof typeof PACKAGES
// Only `npm run test:e2e` needs it.
const PEERS_OF_E2E: readonly PeerName[] = ['agnhost']
/** The peers of `npm run test:kubernetes`. */
export const PEER_NAMES = (Object.keys(PACKAGES) as PeerName[]).filter((name) => !PEERS_OF_E2E.includes(name))

// Programs of Kubernetes, which other releases of it have too.
const OF_KUBERNETES: readonly PeerName[] = [
  'agnhost',
  'e2e',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
  'kubelet',
]

/** Where the programs are kept. */
export const peersDirectory = (): string =>
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'peers')

/** Where the peer's program is or would be: $XDG_CACHE_HOME/holdfast/peers, by default ~/.cache/holdfast/peers. */
export function peerPath(name: PeerName): string {
  if (isOfOtherRelease(name)) return join(peersDirectory(), `${name}-${KUBERNETES_RELEASES[chosenMinor()]}`)
  return join(peersDirectory(), `${name}-${hashOf(join(import.meta.dirname, 'peers', name))}`)
}

const isOfOtherRelease = (name: PeerName): boolean => chosenMinor() !== NEWEST && OF_KUBERNETES.includes(name)

/**
 * Where the Go sidecar of that name is, once somebody has put it beside the peers. It is never built here: no module proxy has to have it.
 * Tests and benchmarks that compare with it are left out when it is missing.
 */
export const sidecarPath = (name: GoSidecar): string => join(peersDirectory(), name)

export type GoSidecar =
  | 'csi-provisioner'
  | 'csi-attacher'
  | 'csi-resizer'
  | 'csi-snapshotter'
  | 'snapshot-controller'
  | 'csi-external-health-monitor-controller'

/** Where the hostpath driver of Kubernetes is, `hostpathplugin`, under the same condition. */
export const hostpathDriverPath = (): string => join(peersDirectory(), 'hostpathplugin')

export const hasGoSidecars = (): boolean => skipWithout('csi-provisioner', 'csi-attacher') === false

/** Why a test that needs these Go sidecars has to be skipped, or false. */
export function skipWithout(...names: readonly GoSidecar[]): string | false {
  const missing = names.filter((name) => !existsSync(sidecarPath(name)))
  return missing.length === 0 ? false : `not beside the peers: ${missing.join(', ')}`
}

/** The path of the peer's program, built when this version of it isn't there yet. Progress goes to standard error: a first build takes minutes. */
export async function buildPeer(name: PeerName): Promise<string> {
  const program = peerPath(name)
  if (existsSync(program)) return program
  const isOther = isOfOtherRelease(name)
  const title = isOther ? `${name} ${KUBERNETES_RELEASES[chosenMinor()]}` : name
  process.stderr.write(`building ${title} …\n`)
  const startMs = performance.now()
  mkdirSync(dirname(program), { recursive: true })
  const folder = isOther
    ? await writeReleaseModule(chosenMinor(), dirname(program))
    : join(import.meta.dirname, 'peers', name)
  // Renamed when whole: two test files may build the same peer at once.
  const unfinished = `${program}.${process.pid}`
  // Without symbols and debugging data (-s -w) linking takes half the time.
  const link = [
    '-s',
    '-w',
    ...Object.entries(OF_KUBERNETES.includes(name) ? releaseVariables(chosenMinor()) : {}).map(
      ([variable, value]) => `-X ${variable}=${value}`,
    ),
  ].join(' ')
  const args = [
    // e2e is no program, but the tests of a package.
    ...(name === 'e2e' ? ['test', '-c', '-vet=off'] : ['build']),
    // The modules under peers/ pin every dependency; the module of another release takes those that Kubernetes pins.
    isOther ? '-mod=mod' : '-mod=readonly',
    '-trimpath',
    '-buildvcs=false',
    `-ldflags=${link}`,
    '-o',
    unfinished,
    PACKAGES[name],
  ]
  const { code, stderr } = await run('go', args, { cwd: folder, env: { GOWORK: 'off', GOFLAGS: '', CGO_ENABLED: '0' } })
  if (code !== 0) {
    rmSync(unfinished, { force: true })
    throw new Error(`building ${title} failed\n${stderr}`)
  }
  renameSync(unfinished, program)
  process.stderr.write(`built ${title} in ${Math.round((performance.now() - startMs) / 1000)} s\n`)
  return program
}

function hashOf(folder: string): string {
  const hash = createHash('sha256')
  for (const file of globSync(['go.mod', 'go.sum', '**/*.go'], { cwd: folder }).sort()) {
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(folder, file)))
      .update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
