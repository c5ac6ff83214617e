import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { buildImages } from './image/build-images.ts'
import type { Architecture } from './image/oci-layout.ts'
import { ROOT } from './run.ts'

// npm run image: writes the container images as an OCI layout, without a container engine.

const USAGE = `Usage: npm run image [-- OPTIONS]

Writes the container images of Holdfast as an OCI image layout, with one bill of materials (SPDX) for each.
Needs apt-get, dpkg-deb and npm; no container engine and no root.

  --out DIR        where to write them; replaced if it exists (default: build/image)
  --arch LIST      x64, arm64 or both (default: x64,arm64)
  --registry NAME  what the images' names begin with (default: localhost)

To load them into containerd:   tar -C build/image -c . | ctr -n k8s.io image import -
To push them to a registry:     skopeo copy --all oci:build/image:localhost/holdfast:VERSION docker://…
`

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64']

function readOptions(): { out: string; architectures: Architecture[]; registry: string } | undefined {
  const { values } = parseArgs({
    options: {
      out: { type: 'string', default: join(ROOT, 'build', 'image') },
      arch: { type: 'string', default: ARCHITECTURES.join(',') },
      registry: { type: 'string', default: 'localhost' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  if (values.help) return undefined
  const architectures = values.arch.split(',').map((name) => {
    const found = ARCHITECTURES.find((known) => known === name)
    if (!found) throw new Error(`--arch: ${JSON.stringify(name)} is not one of ${ARCHITECTURES.join(', ')}`)
    return found
  })
  if (!/^[a-z0-9]+([._:/-][a-z0-9]+)*$/.test(values.registry)) {
    throw new Error(`--registry: ${JSON.stringify(values.registry)} cannot begin the name of an image`)
  }
  return { out: values.out, architectures, registry: values.registry }
}

const temporary = mkdtempSync(join(tmpdir(), 'holdfast-image-'))
try {
  const options = readOptions()
  if (options) {
    rmSync(options.out, { recursive: true, force: true })
    mkdirSync(options.out, { recursive: true })
    const { version, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string
      devDependencies: { node: string }
    }
    const { images, boms } = await buildImages({
      ...options,
      version,
      nodeVersion: devDependencies.node,
      temporary,
      progress: (line) => process.stdout.write(`${line}\n`),
    })
    for (const [name, content] of boms) writeFileSync(join(options.out, name), content)
    for (const { name, architecture, size, digest } of images) {
      process.stdout.write(`${name} ${architecture} ${(size / 1e6).toFixed(1)} MB compressed ${digest}\n`)
    }
    process.stdout.write(`wrote ${options.out}\n`)
  } else {
    process.stdout.write(USAGE)
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(temporary, { recursive: true })
}
