/** One benchmark of the page: what is run, and what it shows. */
export type Part = {
  readonly title: string
  /** The words after `npm run bench`. */
  readonly command: readonly string[]
  /** With fewer of everything, to try the page out. Such results are marked on it. */
  readonly quick: readonly string[]
  /** How often it is run; the outputs stand one below the other. */
  readonly times: number
  /** On two idle cores, roughly. */
  readonly minutes: number
  readonly about: string
}

const part = (title: string, minutes: number, command: string, quick: string, about: string, times = 1): Part => ({
  title,
  minutes,
  command: command.split(' '),
  quick: quick.split(' '),
  about,
  times,
})

/** In the order of the page, which is also the order in which they are run. */
export const PARTS = {
  compare: part(
    'Sidecars against tuned Go',
    15,
    'sidecars --built --only=compare',
    'sidecars --built --only=compare --rounds=1 --volumes=100',
    'Holdfast in one process with default settings, and the Go sidecars with 100 workers and 1,000 requests a second, in turn on the same kube-apiserver. Medians of all rounds, then the range. `others` are volumes that were made by someone else, and `cold` is the first work after the start.',
  ),
  memory: part(
    'Memory of the sidecars',
    5,
    'sidecars --built --only=memory --sets=volumes',
    'sidecars --built --only=memory --sets=volumes --others=500',
    'Resident memory with 10,000 volumes and claims: provisioner and attacher, then all roles.',
  ),
  defaults: part(
    'Sidecars with default settings on both sides',
    5,
    'sidecars --built --only=default --sets=volumes',
    'sidecars --built --only=default --sets=volumes --quick --volumes=100',
    'The Go sidecars limit themselves to 5 requests a second by default.',
  ),
  changes: part(
    'Expansions and snapshots',
    8,
    'sidecars --built --only=tuned --sets=changes',
    'sidecars --built --only=tuned --sets=changes --quick --volumes=50',
    'Resizer, snapshotter and snapshot-controller, all tuned alike.',
  ),
  apiserver: part(
    'API server',
    4,
    'apiserver --built',
    'apiserver --built --quick',
    'Against kube-apiserver with etcd on the same disk. kube-apiserver does more for each write: it maintains `managedFields` and runs its audit machinery. It also scales to more cores. Client and server share the cores.',
  ),
  up: part(
    '`holdfast up`',
    3,
    'up',
    'up --rounds=5 --starts=1',
    'The whole cluster in one process, from source, with real mounts if run as root: on the disk as it is, and with 5 ms added to each sync.',
  ),
  cluster: part(
    'A whole cluster',
    12,
    'cluster --built --only=writes,claims --servers=holdfast',
    'cluster --built --only=writes,claims --quick',
    'API server, controllers and sidecars in one process each, with a driver that does nothing and 100 simulated nodes. Ends when the status of the node lists the volume.',
  ),
  scheduling: part(
    'Scheduler with 5,000 nodes',
    5,
    'cluster --built --only=scheduling',
    'cluster --built --only=scheduling --quick',
    'Pods with bound volumes, three runs. The threshold is that of the corresponding benchmark of Kubernetes; kube-scheduler applies more rules.',
    3,
  ),
  scale: part(
    'Scale',
    12,
    'scale',
    'scale --volumes=100,1000 --nodes=100 --picture=',
    'API server, controllers and sidecar in one process, from source, with the state on disk. Each size has its own cluster, which already has the volumes: the cost of 1,000 further ones is measured.',
  ),
  node: part(
    'Node agent',
    1,
    'node',
    'node --pods=50 --nodes=50',
    'One agent with the bundled driver and real mounts if run as root; then many agents on a simulated machine.',
  ),
  'csi-call': part('CSI calls', 1, 'csi-call', 'csi-call', 'One call to a driver, through each layer.'),
} satisfies Record<string, Part>

export type PartName = keyof typeof PARTS
export const PART_NAMES = Object.keys(PARTS) as PartName[]
