import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../scripts/run.ts'

// Each peer is a Go module of its own under peers/, so that one's dependencies never move another's.
const PACKAGES = {
  'csi-sanity': 'github.com/kubernetes-csi/csi-test/v5/cmd/csi-sanity',
  'dump-descriptor': '.',
} as const

export type PeerName = keyof typeof PACKAGES

/**
 * The path of the peer's program, built when this version of it isn't in the cache yet: $XDG_CACHE_HOME/holdfast/peers,
 * by default ~/.cache/holdfast/peers. Progress goes to standard error, since a first build takes minutes.
 */
export async function buildPeer(name: PeerName): Promise<string> {
  const folder = join(import.meta.dirname, 'peers', name)
  const cache = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'holdfast', 'peers')
  const program = join(cache, `${name}-${hashOf(folder)}`)
  if (existsSync(program)) return program
  process.stderr.write(`building ${name} …\n`)
  const startMs = performance.now()
  mkdirSync(cache, { recursive: true })
  // Renamed when whole: two test files may build the same peer at once.
  const unfinished = `${program}.${process.pid}`
  const args = ['build', '-mod=readonly', '-trimpath', '-buildvcs=false', '-o', unfinished, PACKAGES[name]]
  const { code, stderr } = await run('go', args, { cwd: folder, env: { GOWORK: 'off', GOFLAGS: '', CGO_ENABLED: '0' } })
  if (code !== 0) {
    rmSync(unfinished, { force: true })
    throw new Error(`building ${name} failed\n${stderr}`)
  }
  renameSync(unfinished, program)
  process.stderr.write(`built ${name} in ${Math.round((performance.now() - startMs) / 1000)} s\n`)
  return program
}

function hashOf(folder: string): string {
  const hash = createHash('sha256')
  for (const file of globSync(['go.mod', 'go.sum', '**/*.go'], { cwd: folder }).sort()) {
    hash.update(`${file}\0`).update(readFileSync(join(folder, file))).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
