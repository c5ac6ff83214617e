import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun, mustRunForBytes } from './must-run.ts'
import { OCI_ARCHITECTURE, sha256, type Architecture } from './oci-layout.ts'
import { readTar, type TarEntry } from './tar.ts'

export type DebianPackage = { name: string; version: string; sha256: string; entries: readonly TarEntry[] }

/**
 * Downloads packages of Debian for any architecture, through apt's own configuration (and its signature checks), without installing
 * anything: lists and archives stay in the given folder, so that the machine's own apt does not change.
 */
export async function downloadDebianPackages(
  names: readonly string[],
  architecture: Architecture,
  folder: string,
): Promise<DebianPackage[]> {
  const debianName = OCI_ARCHITECTURE[architecture]
  const lists = join(folder, 'lists')
  const archives = join(folder, 'archives')
  rmSync(archives, { recursive: true, force: true })
  for (const path of [join(lists, 'partial'), join(folder, 'cache', 'archives', 'partial'), archives]) {
    mkdirSync(path, { recursive: true })
  }
  const options = [
    '-qq',
    ...['-o', `Dir::State::Lists=${lists}`],
    ...['-o', `Dir::Cache=${join(folder, 'cache')}`],
    ...['-o', `APT::Architecture=${debianName}`],
    ...['-o', `APT::Architectures=${debianName}`],
    // The folder belongs to whoever builds, which apt's own user may not read.
    ...['-o', 'APT::Sandbox::User=root'],
  ]
  await mustRun('apt-get', [...options, 'update'])
  await mustRun('apt-get', [...options, 'download', ...names], archives)
  const packages: DebianPackage[] = []
  for (const file of readdirSync(archives).sort()) {
    const path = join(archives, file)
    const [name = '', version = ''] = (
      await mustRun('dpkg-deb', ['--show', '--showformat', '${Package} ${Version}', path])
    ).split(' ')
    const entries = readTar(await mustRunForBytes('dpkg-deb', ['--fsys-tarfile', path]))
    packages.push({ name, version, sha256: sha256(readFileSync(path)), entries })
  }
  const missing = names.filter((name) => !packages.some((found) => found.name === name))
  if (missing.length > 0) throw new Error(`apt-get downloaded no package for ${missing.join(', ')}`)
  return packages
}
