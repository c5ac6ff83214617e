import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../run.ts'
import type { Architecture } from './oci-layout.ts'

export type ImageOptions = { out: string; architectures: Architecture[]; registry: string }

const ARCHITECTURES: readonly Architecture[] = ['x64', 'arm64']

/** Undefined if help is asked for. Throws with a sentence about the first argument that is wrong. */
export function readImageOptions(args: readonly string[]): ImageOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
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
  checkReplaceable(values.out)
  return { out: resolve(values.out), architectures: [...new Set(architectures)], registry: values.registry }
}

/** The directory is deleted before the images are written: whoever mistypes its name must not lose anything. */
function checkReplaceable(out: string): void {
  if (out === '') throw new Error('--out: a directory is required')
  if (!existsSync(out)) return
  if (!statSync(out).isDirectory()) throw new Error(`--out: ${out} is not a directory`)
  // An interrupted build has written layers, but no index.
  if (readdirSync(out).length > 0 && !existsSync(join(out, 'blobs', 'sha256'))) {
    throw new Error(
      `--out: ${out} contains other files. Choose a new or empty directory, or one with images to replace.`,
    )
  }
}
