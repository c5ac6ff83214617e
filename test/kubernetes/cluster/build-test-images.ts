import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createOciLayout } from '../../../scripts/image/oci-layout.ts'
import { ROOT } from '../../../scripts/run.ts'
import { sidecarPath } from '../peers.ts'

/** The image that pods of the stories run: nothing but busybox. */
export const BUSYBOX_IMAGE = 'localhost/busybox:test'
export const BUSYBOX = '/bin/busybox'

/** The Go sidecars of the controller part; see `sidecarPath`. */
export const GO_SIDECARS = ['csi-provisioner', 'csi-attacher', 'csi-resizer', 'csi-snapshotter'] as const
const GO_PROGRAMS = [...GO_SIDECARS, 'snapshot-controller'] as const
type GoProgram = (typeof GO_PROGRAMS)[number]
const goSidecarPath = (name: GoProgram): string => join(dirname(sidecarPath('csi-provisioner')), name)
export const goSidecarImage = (name: GoProgram): string => `localhost/go-${name}:test`
const hasAllGoSidecars = (): boolean => GO_PROGRAMS.every((name) => existsSync(goSidecarPath(name)))
/** Why a story with the Go sidecars does not run, or undefined. */
export const withoutGoSidecars = (): string | undefined =>
  hasAllGoSidecars() ? undefined : 'NOT RUN: the Go sidecars are not beside the peers'

/** What the chart takes as `images.upstream`. */
export const UPSTREAM_IMAGES = {
  provisioner: goSidecarImage('csi-provisioner'),
  attacher: goSidecarImage('csi-attacher'),
  resizer: goSidecarImage('csi-resizer'),
  snapshotter: goSidecarImage('csi-snapshotter'),
  // Ours have the entrypoints of the images that they replace.
  livenessProbe: 'localhost/livenessprobe:0.1.0',
  nodeDriverRegistrar: 'localhost/node-driver-registrar:0.1.0',
  snapshotController: goSidecarImage('snapshot-controller'),
}

/** What is missing on this machine for containers, or undefined. */
export function missingForContainers(): string | undefined {
  if (process.getuid?.() !== 0) return 'root'
  if (process.arch !== 'x64') return 'x64'
  for (const [program, debianPackage] of [
    ['/usr/bin/containerd', 'containerd'],
    ['/usr/sbin/runc', 'runc'],
    ['/usr/lib/cni/bridge', 'containernetworking-plugins'],
    [BUSYBOX, 'busybox-static'],
  ] as const) {
    if (!existsSync(program)) return `${program} (apt-get install ${debianPackage})`
  }
  return undefined
}

/** Writes archives with our images, busybox and the pause image. Returns their paths. */
export function buildTestImages(directory: string): string[] {
  // Somebody who works on the tests builds the images once: HOLDFAST_TEST_IMAGES is a folder that `npm run image` wrote.
  const ours = process.env['HOLDFAST_TEST_IMAGES'] ?? join(directory, 'images')
  if (!existsSync(ours))
    execFileSync('npm', ['run', '--silent', 'image', '--', '--arch', 'x64', '--out', ours], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  const small = join(directory, 'small-images')
  mkdirSync(small, { recursive: true })
  writeSmallImages(small)
  return [ours, small].map((folder, index) => {
    const path = join(directory, `images-${index}.tar`)
    execFileSync('tar', ['-C', folder, '-cf', path, '.'])
    return path
  })
}

function writeSmallImages(folder: string): void {
  const oci = createOciLayout(folder)
  const applets = ['sh', 'cat', 'echo', 'sleep', 'dd', 'sync', 'ls', 'test', 'sha256sum', 'mkdir', 'stat', 'blockdev']
  const layer = oci.addLayer([
    { kind: 'directory', path: 'bin' },
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    { kind: 'file', path: 'bin/busybox', content: readFileSync(BUSYBOX), isExecutable: true },
    ...applets.map((name) => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' }) as const),
  ])
  const add = (name: string, entrypoint: readonly string[]): void =>
    oci.tag(name, [oci.addImage('x64', [layer], { entrypoint, user: '0:0', labels: {} })])
  add(BUSYBOX_IMAGE, [])
  add('localhost/pause:test', ['/bin/busybox', 'sleep', '1000000'])
  for (const name of hasAllGoSidecars() ? GO_PROGRAMS : []) {
    const program = oci.addLayer([
      { kind: 'file', path: name, content: readFileSync(goSidecarPath(name)), isExecutable: true },
    ])
    const config = { entrypoint: [`/${name}`], user: '0:0', labels: {} }
    oci.tag(goSidecarImage(name), [oci.addImage('x64', [program], config)])
  }
  oci.finish()
}
