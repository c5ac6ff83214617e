import { join } from 'node:path'
import { isHostError } from 'holdfast/base'
import type { HostFiles, Random } from 'holdfast/base'
import type { Content } from './vault.ts'

// A program in the pod opens `password`, a link to `..data/password`; `..data` is a link to the directory of the current content. Replacing
// that one link replaces all files at once, in the same mount: whoever has the old ones open reads on.
const CURRENT = '..data'
const NEXT = '..data_tmp'

/** Makes the directory show exactly these files. Until the switch, whatever fails, it shows the old ones. False: nothing was to be done. */
export async function replaceContent(
  files: HostFiles,
  directory: string,
  content: Content,
  random: Random,
): Promise<boolean> {
  const current = await findCurrent(files, directory)
  const isNew = current === undefined || !(await hasContent(files, join(directory, current), content))
  const shown = isNew ? await writeVersion(files, directory, content, random) : current
  await tidy(files, directory, content, shown)
  return isNew
}

export async function findCurrent(files: HostFiles, directory: string): Promise<string | undefined> {
  try {
    return await files.readSymlink(join(directory, CURRENT))
  } catch (error) {
    if (isHostError(error, 'ENOENT')) return undefined
    throw error
  }
}

async function hasContent(files: HostFiles, version: string, content: Content): Promise<boolean> {
  try {
    const present = (await files.list(version)).map(({ name }) => name)
    if (present.join('/') !== Object.keys(content).sort().join('/')) return false
    for (const name of present)
      if (Buffer.from(await files.readFile(join(version, name))).toString() !== content[name]) return false
    return true
  } catch (error) {
    if (isHostError(error, 'ENOENT', 'ENOTDIR')) return false
    throw error
  }
}

async function writeVersion(files: HostFiles, directory: string, content: Content, random: Random): Promise<string> {
  const name = `..${Buffer.from(random.bytes(8)).toString('hex')}`
  const version = join(directory, name)
  try {
    // Open to whatever user the pod has: who gets into the volume is decided by where it is mounted.
    await files.makeDirectory(version, 0o755)
    for (const [file, text] of Object.entries(content))
      await files.writeFile(join(version, file), Buffer.from(text), { mode: 0o644, exclusive: true })
    if (await files.findStat(join(directory, NEXT))) await files.removeFile(join(directory, NEXT))
    await files.makeSymlink(name, join(directory, NEXT))
    await files.rename(join(directory, NEXT), join(directory, CURRENT))
  } catch (error) {
    // The failure to tell of is the first one; what is left of this goes with the next that succeeds.
    await removeVersion(files, version).catch(() => {})
    throw error
  }
  return name
}

/** Links for all files that are shown, and nothing else: no older version, nothing of a writer that was killed. */
async function tidy(files: HostFiles, directory: string, content: Content, shown: string): Promise<void> {
  const present = await files.list(directory)
  const wanted = new Set([CURRENT, shown, ...Object.keys(content)])
  for (const name of Object.keys(content))
    if (!present.some((entry) => entry.name === name))
      await files.makeSymlink(join(CURRENT, name), join(directory, name))
  for (const { name, kind } of present.filter((entry) => !wanted.has(entry.name))) {
    if (kind === 'directory') await removeVersion(files, join(directory, name))
    else await files.removeFile(join(directory, name))
  }
}

async function removeVersion(files: HostFiles, version: string): Promise<void> {
  if (!(await files.findStat(version))) return
  for (const { name } of await files.list(version)) await files.removeFile(join(version, name))
  await files.removeDirectory(version)
}
