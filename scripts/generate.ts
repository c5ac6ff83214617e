import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findStaleDocs, writeStaleDocs } from './generate-docs.ts'
import { generateKinds, KINDS_FOLDER } from './kubernetes-schema/generate-kinds.ts'
import { formatMessageTable } from './message-table.ts'
import type { DescriptorImage } from './message-table.ts'
import { ROOT, run } from './run.ts'
import { listFiles, readFiles } from './source-file.ts'
import type { SourceFile } from './source-file.ts'

const GENERATED = 'src/csi/generated'
const GENERATED_FOLDERS: readonly string[] = [GENERATED, KINDS_FOLDER]

/** Everything that is generated, from the .proto files and the schema table of today; writes nothing into the repository. */
export async function generateFiles(): Promise<SourceFile[]> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-generate-'))
  try {
    await mustRun('buf', ['generate', '-o', folder])
    const image = JSON.parse(await mustRun('buf', ['build', '-o', '-#format=json'])) as DescriptorImage
    const files = withoutUnused(readFiles(folder, [`${GENERATED}/**/*.ts`]))
    return [...files, { path: `${GENERATED}/message-table.ts`, text: formatMessageTable(image) }, ...generateKinds()]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** The files of the generated folders that differ from, are missing in, or are not part of what would be generated. */
export function findDifferences(root: string, files: readonly SourceFile[]): string[] {
  const wanted = new Map(files.map(({ path, text }) => [path, text]))
  const present = listFiles(
    root,
    GENERATED_FOLDERS.map((folder) => `${folder}/**/*`),
  )
  const stale = present.filter((path) => wanted.get(path) !== readFileSync(join(root, path), 'utf8'))
  const missing = [...wanted.keys()].filter((path) => !present.includes(path))
  return [...stale, ...missing].sort()
}

/** Makes the generated folders hold exactly these files, touching only those that differ. */
export function writeDifferences(root: string, files: readonly SourceFile[]): string[] {
  const differing = findDifferences(root, files)
  for (const path of differing) {
    const file = files.find((item) => item.path === path)
    if (!file) rmSync(join(root, path))
    else {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), file.text)
    }
  }
  return differing
}

// Only the options of the .proto files refer to it, and options leave no trace in the messages.
function withoutUnused(files: readonly SourceFile[]): SourceFile[] {
  const isUsed = files.some(({ text }) => text.includes('/descriptor.ts"'))
  return files.filter(({ path }) => isUsed || !path.endsWith('google/protobuf/descriptor.ts'))
}

async function mustRun(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await run(command, args)
  if (code !== 0) throw new Error(`${command} ${args[0]} ended with ${code}: ${stderr.trim()}`)
  return stdout
}

if (import.meta.main) {
  const files = await generateFiles()
  if (process.argv.includes('--check')) {
    const differing = [...findDifferences(ROOT, files), ...findStaleDocs(ROOT)]
    for (const path of differing) process.stdout.write(`${path} is not what npm run generate makes\n`)
    process.exitCode = differing.length === 0 ? 0 : 1
  } else {
    const written = [...writeDifferences(ROOT, files), ...writeStaleDocs(ROOT)]
    process.stdout.write(written.length === 0 ? 'nothing to change\n' : `changed: ${written.join(', ')}\n`)
  }
}
