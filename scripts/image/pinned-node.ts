import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { join } from 'node:path'
import { mustRun } from './must-run.ts'
import type { Architecture } from './oci-layout.ts'
import { readTar, type TarEntry } from './tar.ts'
import { withoutSymbols } from './without-symbols.ts'

/** The Node.js that images carry: the version in package.json, and what the registry's archives of it must hash to. */
const PINNED = {
  version: '24.21.0',
  integrity: {
    x64: 'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
    arm64: 'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
} as const

export type NodeProgram = { version: string; sha512: string; entries: readonly TarEntry[] }

/** Downloads the pinned Node.js for any architecture and returns its program, without symbols, and its licence. */
export async function downloadNode(architecture: Architecture, wanted: string, folder: string): Promise<NodeProgram> {
  if (wanted !== PINNED.version) {
    throw new Error(
      `package.json pins Node.js ${wanted}, scripts/image/pinned-node.ts ${PINNED.version}: change both, with the integrity that \`npm view node-linux-${architecture}@${wanted} dist.integrity\` prints`,
    )
  }
  mkdirSync(folder, { recursive: true })
  const name = `node-linux-${architecture}`
  await mustRun('npm', ['pack', '--silent', '--pack-destination', folder, `${name}@${wanted}`])
  const archive = readFileSync(join(folder, `${name}-${wanted}.tgz`))
  const integrity = `sha512-${createHash('sha512').update(archive).digest('base64')}`
  if (integrity !== PINNED.integrity[architecture])
    throw new Error(`${name}@${wanted} has integrity ${integrity}, not the pinned one`)
  const entries = readTar(gunzipSync(archive)).flatMap((entry): TarEntry[] => {
    if (entry.kind === 'file' && entry.path === 'package/bin/node')
      return [
        { ...entry, path: 'usr/bin/node', isExecutable: true, content: withoutSymbols(Buffer.from(entry.content)) },
      ]
    if (entry.path === 'package/LICENSE') return [{ ...entry, path: 'usr/share/doc/nodejs/copyright' }]
    return []
  })
  if (entries.length !== 2) throw new Error(`${name}@${wanted} has no bin/node or no LICENSE`)
  return { version: wanted, sha512: integrity, entries }
}
