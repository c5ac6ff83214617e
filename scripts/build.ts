import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { ROOT, run } from './run.ts'
import { isTestFile } from './source-file.ts'

// npm run build: writes dist/, then packs it and tries the package as a stranger would: each export imported, the program started, its demo run.

type Manifest = { name: string; exports: Record<string, string | Record<string, string>> }

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest

async function mustRun(what: string, command: string, args: readonly string[], cwd = ROOT): Promise<string> {
  const { code, stdout, stderr } = await run(command, args, { cwd })
  if (code !== 0) throw new Error(`${what} failed (${command} ended with ${code})\n${stdout}${stderr}`.trim())
  return stdout
}

function checkExports(): void {
  const targets = Object.values(manifest.exports).flatMap((target) =>
    typeof target === 'string' ? [target] : Object.values(target),
  )
  const missing = targets.filter((target) => !existsSync(join(ROOT, target)))
  if (missing.length > 0) throw new Error(`package.json exports what the build does not make: ${missing.join(', ')}`)
}

/** The package holds the program only: tests and what they share stay in the repository. */
function checkNoTestSupport(): void {
  const stray = globSync('dist/**/*.js', { cwd: ROOT }).filter((path) =>
    isTestFile({ path: path.replace(/js$/, 'ts'), text: '' }),
  )
  if (stray.length > 0) throw new Error(`dist holds test support: ${stray.join(', ')}`)
}

/** Installs the packed tarball beside copies of the dependencies that are already here, so that it needs no registry. */
async function installInto(folder: string): Promise<void> {
  const packed = JSON.parse(
    await mustRun('packing', 'npm', ['pack', '--json', '--pack-destination', folder]),
  ) as unknown
  // An array up to npm 11, an object by package name after it.
  const [{ filename }] = Object.values(packed as Record<string, { filename: string }>) as [{ filename: string }]
  const target = join(folder, 'node_modules', manifest.name)
  mkdirSync(target, { recursive: true })
  await mustRun('unpacking', 'tar', ['-xzf', join(folder, filename), '-C', target, '--strip-components=1'])
  const listed = await run('npm', ['ls', '--omit=dev', '--all', '--parseable'])
  for (const path of listed.stdout.split('\n').filter((line) => line.startsWith(join(ROOT, 'node_modules')))) {
    cpSync(path, join(folder, relative(ROOT, path)), { recursive: true })
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
}

async function tryPackage(folder: string): Promise<void> {
  for (const entry of Object.keys(manifest.exports)) {
    const specifier = entry.replace(/^\./, manifest.name)
    const attributes = entry.endsWith('.json') ? `, { with: { type: 'json' } }` : ''
    const program = `if (Object.keys(await import('${specifier}'${attributes})).length === 0) throw new Error('nothing exported')`
    await mustRun(`importing ${specifier}`, 'node', ['--input-type=module', '--eval', program], folder)
  }
  const home = join(folder, 'node_modules', manifest.name)
  const program = join(home, 'bin', 'holdfast')
  const help = await mustRun('holdfast --help', program, ['--help'], folder)
  if (!help.includes('holdfast')) throw new Error(`holdfast --help printed: ${help}`)
  // The whole cluster, built: exit 0 only if every step held.
  await mustRun('holdfast demo', program, ['demo'], folder)
  // What `holdfast up` tells people to apply.
  if (!existsSync(join(home, 'examples/claim.yaml'))) throw new Error('the package has no examples/claim.yaml')
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-build-'))
try {
  // Packing compiles (prepack), as it does for whoever packs without a build.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
  await installInto(folder)
  checkExports()
  checkNoTestSupport()
  await tryPackage(folder)
  process.stdout.write(
    `built dist/, imported ${Object.keys(manifest.exports).length} exports of the package and ran its demo\n`,
  )
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
} finally {
  rmSync(folder, { recursive: true })
}
