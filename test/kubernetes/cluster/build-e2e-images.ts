import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOciLayout } from '../../../scripts/image/oci-layout.ts'
import type { TarEntry } from '../../../scripts/image/tar.ts'
import { buildPeer } from '../peers.ts'
import { BUSYBOX } from './build-test-images.ts'

/** The registry that e2e.test is told to use for its own images. Nothing serves it: containerd has the images already. */
export const E2E_REGISTRY = 'localhost/e2e'

// The tags are those of Kubernetes 1.36.4 (test/utils/image/manifest.go).
const BUSYBOX_IMAGES = ['busybox:1.37.0-1', 'nginx:1.15-4']
const GLIBC_IMAGE = 'glibc-dns-testing:2.0.0'
const AGNHOST_IMAGE = 'agnhost:2.63.0'
const PAUSE_IMAGE = 'pause:3.10.2'

/** Writes an archive with the images that the storage specs of Kubernetes run. Returns its path in a list. */
export async function buildE2eImages(directory: string): Promise<string[]> {
  const folder = join(directory, 'e2e-images')
  mkdirSync(folder, { recursive: true })
  const oci = createOciLayout(folder)
  const shell = oci.addLayer([
    { kind: 'directory', path: 'tmp', mode: 0o1777 },
    executable(BUSYBOX, 'bin/busybox'),
    ...listApplets().map((name) => ({ kind: 'link', path: `bin/${name}`, target: 'busybox' }) as const),
  ])
  // A dd that knows oflag=nocache, and a shell that runs it: the shell of busybox has a dd of its own.
  const glibc = oci.addLayer([...withLibraries('/usr/bin/dd', 'bin/dd'), ...withLibraries('/usr/bin/dash', 'bin/sh')])
  const agnhost = oci.addLayer([executable(await buildPeer('agnhost'), 'agnhost')])
  const add = (name: string, layers: readonly (typeof shell)[], entrypoint: readonly string[]): void =>
    oci.tag(`${E2E_REGISTRY}/${name}`, [oci.addImage('x64', layers, { entrypoint, user: '0:0', labels: {} })])
  for (const name of BUSYBOX_IMAGES) add(name, [shell], [])
  add(GLIBC_IMAGE, [shell, glibc], [])
  add(AGNHOST_IMAGE, [shell, agnhost], ['/agnhost'])
  add(PAUSE_IMAGE, [shell], ['/bin/busybox', 'sleep', '1000000'])
  oci.finish()
  const path = join(directory, 'e2e-images.tar')
  execFileSync('tar', ['-C', folder, '-cf', path, '.'])
  return [path]
}

const executable = (source: string, path: string): TarEntry => ({
  kind: 'file',
  path,
  content: readFileSync(source),
  isExecutable: true,
})

const listApplets = (): string[] =>
  execFileSync(BUSYBOX, ['--list'], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .filter((name) => name !== 'busybox')

/** The program and the shared libraries that it loads, at the paths where the loader looks for them. */
function withLibraries(program: string, path: string): TarEntry[] {
  const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/\/\S+(?= \(0x)/g)
  return [executable(program, path), ...[...libraries].map(([library]) => executable(library, library.slice(1)))]
}
