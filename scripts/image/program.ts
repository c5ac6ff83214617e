import { globSync, lstatSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ROOT } from '../run.ts'
import { isLoaded } from './contents.ts'
import { mustRun } from './must-run.ts'
import type { Component } from './sbom.ts'
import { readTar, type TarEntry } from './tar.ts'

export const HOME = 'opt/holdfast'

export type Program = { entries: readonly TarEntry[]; components: readonly Component[] }

type PackageJson = { name: string; version: string; license?: string }

/** The packed npm package and the dependencies it runs with, which are the same on every architecture. */
export async function packProgram(folder: string): Promise<Program> {
  const packed = await mustRun('npm', ['pack', '--silent', '--pack-destination', folder], ROOT)
  const own = readTar(gunzipSync(readFileSync(join(folder, packed.trim().split('\n').at(-1) ?? ''))))
    .filter(({ kind, path }) => kind === 'file' && isLoaded(path))
    .map((entry): TarEntry => ({ ...entry, path: entry.path.replace(/^package/, HOME) }))
  const paths = await dependencyPaths()
  return {
    entries: [...own, ...paths.flatMap(filesOf)],
    components: [ROOT, ...paths].map(componentAt),
  }
}

/** The folders of the dependencies that package.json asks for, without those that lie about for other reasons. */
async function dependencyPaths(): Promise<string[]> {
  const listed = await mustRun('npm', ['ls', '--omit=dev', '--all', '--parseable', '--long'], ROOT)
  return listed
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(':EXTRANEOUS'))
    .map((line) => line.split(':')[0] ?? '')
    .filter((path) => path !== ROOT && !path.includes('/node_modules/@types/') && !path.endsWith('/undici-types'))
}

function filesOf(path: string): TarEntry[] {
  return globSync('**/*', { cwd: path, exclude: (name) => name === 'node_modules' })
    .filter((name) => isLoaded(name) && lstatSync(join(path, name)).isFile())
    .map((name) => ({
      kind: 'file',
      path: join(HOME, relative(ROOT, path), name),
      content: readFileSync(join(path, name)),
    }))
}

function componentAt(path: string): Component {
  const { name, version, license } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as PackageJson
  return { name, version, purl: `pkg:npm/${name.replace('@', '%40')}@${version}`, ...(license && { license }) }
}
