import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildImages } from './image/build-images.ts'
import { readImageOptions } from './image/read-options.ts'
import { ROOT } from './run.ts'

// npm run image: writes the container images as an OCI layout, without a container engine.

const USAGE = `Usage: npm run image [-- OPTIONS]

Writes the container images of Holdfast as an OCI image layout, with one bill of materials (SPDX) for each.
Needs apt-get, dpkg-deb and npm; no container engine and no root.

  --out DIR        where to write them; images that are there are replaced (default: build/image)
  --arch LIST      x64, arm64 or both (default: x64,arm64)
  --registry NAME  what the images' names begin with (default: localhost)

To load them into containerd:   tar -C build/image -c . | ctr -n k8s.io image import -
To push them to a registry:     skopeo copy --all oci:build/image:localhost/holdfast:VERSION docker://…
`

const temporary = mkdtempSync(join(tmpdir(), 'holdfast-image-'))
try {
  const options = readImageOptions(process.argv.slice(2))
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
  rmSync(temporary, { recursive: true, force: true })
}
