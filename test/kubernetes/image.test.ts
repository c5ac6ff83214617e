import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { elfFacts } from './elf.ts'

// The images as `npm run image` writes them: built twice, unpacked, and started.

const ROOT = join(import.meta.dirname, '..', '..')
const MACHINES = { amd64: 62, arm64: 183 } as const

type Architecture = keyof typeof MACHINES
type Manifest = { digest: string; platform: { architecture: Architecture } }
type Image = { layers: string[]; config: { User: string; Entrypoint: string[] } }

const folder = mkdtempSync(join(tmpdir(), 'holdfast-image-test-'))
chmodSync(folder, 0o755)
after(() => rmSync(folder, { recursive: true }))

const build = (name: string, ...args: string[]): string =>
  execFileSync('npm', ['run', '--silent', 'image', '--', '--out', join(folder, name), ...args], {
    cwd: ROOT,
    encoding: 'utf8',
  })
const blob = (digest: string): string => join(folder, 'first', 'blobs', 'sha256', digest.replace('sha256:', ''))
const readBlob = <T>(digest: string): T => JSON.parse(readFileSync(blob(digest), 'utf8')) as T

function readImage(name: string, architecture: Architecture): Image {
  const index = JSON.parse(readFileSync(join(folder, 'first', 'index.json'), 'utf8')) as {
    manifests: { digest: string; annotations: Record<string, string> }[]
  }
  const tagged = index.manifests.find((each) =>
    each.annotations['io.containerd.image.name']?.startsWith(`localhost/${name}:`),
  )
  ok(tagged, `no image ${name}`)
  const { manifests } = readBlob<{ manifests: Manifest[] }>(tagged.digest)
  const found = manifests.find((each) => each.platform.architecture === architecture)
  ok(found, `${name} has no ${architecture}`)
  const manifest = readBlob<{ config: { digest: string }; layers: { digest: string }[] }>(found.digest)
  const { config } = readBlob<{ config: Image['config'] }>(manifest.config.digest)
  return { layers: manifest.layers.map(({ digest }) => digest), config }
}

/** The image's root file system, as a container gets it. */
function unpack(name: string, architecture: Architecture): string {
  const root = mkdtempSync(join(folder, 'root-'))
  // As a container runtime makes it: its user need not be its owner.
  chmodSync(root, 0o755)
  for (const digest of readImage(name, architecture).layers) execFileSync('tar', ['-xzpf', blob(digest), '-C', root])
  return root
}

before(() => {
  build('first')
  build('again', '--arch', 'x64')
})

test('two builds of the same source are the same, byte for byte', () => {
  const again = join(folder, 'again', 'blobs', 'sha256')
  const layers = ['holdfast', 'holdfast-node'].flatMap((name) => readImage(name, 'amd64').layers)
  for (const digest of layers) ok(existsSync(join(again, digest.replace('sha256:', ''))), `a layer differs: ${digest}`)
  deepEqual(
    readFileSync(join(folder, 'again', 'holdfast.amd64.spdx.json')),
    readFileSync(join(folder, 'first', 'holdfast.amd64.spdx.json')),
  )
})

for (const architecture of Object.keys(MACHINES) as Architecture[]) {
  test(`${architecture}: every program finds its libraries, all of that architecture`, () => {
    const root = unpack('holdfast-node', architecture)
    const elves = globSync('usr/**/*', { cwd: root })
      .filter((path) => statSync(join(root, path)).isFile())
      .flatMap((path) => {
        const facts = elfFacts(readFileSync(join(root, path)))
        return facts ? [{ path, ...facts }] : []
      })
    ok(elves.length > 10)
    const present = new Set(globSync('usr/lib*/**/*.so*', { cwd: root }).map((path) => basename(path)))
    for (const { path, machine, needed } of elves) {
      equal(machine, MACHINES[architecture], path)
      deepEqual(
        needed.filter((library) => !present.has(library)),
        [],
        path,
      )
    }
  })
}

test('the image for sidecars has no shell, no user root, and nothing that could write', () => {
  const { config } = readImage('holdfast', 'amd64')
  equal(config.User, '65532:65532')
  const root = unpack('holdfast', 'amd64')
  deepEqual(globSync('usr/{bin,sbin}/*', { cwd: root }), ['usr/bin/node'])
})

test('a sidecar has the entrypoint of the image that it replaces', () => {
  for (const name of [
    'csi-provisioner',
    'csi-attacher',
    'csi-resizer',
    'csi-snapshotter',
    'csi-external-health-monitor-controller',
    'node-driver-registrar',
    'livenessprobe',
  ]) {
    deepEqual(readImage(name, 'arm64').config.Entrypoint, ['/usr/bin/node', '/opt/holdfast/bin/holdfast', name])
  }
})

const asRoot = process.getuid?.() === 0 && process.arch === 'x64' ? false : 'starting them needs root and x64'

test('the programs start from the images alone', { skip: asRoot }, () => {
  const environment = { PATH: '/usr/sbin:/usr/bin' }
  const start = (image: string, args: readonly string[], user: string): string =>
    execFileSync('chroot', [`--userspec=${user}`, unpack(image, 'amd64'), ...args], {
      env: environment,
      encoding: 'utf8',
    })
  const { config } = readImage('csi-resizer', 'amd64')
  match(start('csi-resizer', [...config.Entrypoint, '--help'], config.User), /^Usage: holdfast csi-resizer/)
  match(start('holdfast-node', ['/usr/sbin/losetup', '--version'], '0:0'), /^losetup from util-linux/)
  match(start('holdfast-node', ['/usr/bin/sh', '-c', 'umount --version'], '0:0'), /^umount from util-linux/)
})

const QEMU = '/usr/bin/qemu-aarch64-static'
const withoutQemu = existsSync(QEMU) ? false : `running a program for arm64 needs ${QEMU} (Debian's qemu-user-static)`

test('the program in the image for arm64 starts', { skip: withoutQemu }, () => {
  const root = unpack('holdfast', 'arm64')
  const [node = '', program = ''] = readImage('holdfast', 'arm64').config.Entrypoint
  const version = execFileSync(QEMU, ['-L', root, join(root, node), join(root, program), '--version'], {
    encoding: 'utf8',
  })
  match(version, /^holdfast \d/)
})

test('the bill of materials names every npm package, every Debian package and Node.js', () => {
  const bom = JSON.parse(readFileSync(join(folder, 'first', 'holdfast-node.arm64.spdx.json'), 'utf8')) as {
    packages: { name: string; versionInfo: string }[]
  }
  const names = bom.packages.map(({ name }) => name)
  for (const name of ['holdfast', 'node', '@grpc/grpc-js', 'yaml', 'libc6', 'mount']) ok(names.includes(name), name)
  ok(bom.packages.every(({ versionInfo }) => versionInfo !== ''))
})
