import { posix } from 'node:path'

// Folders whose own folders each have their page.
const GROUPS = ['controllers', 'sidecars', 'drivers']

/** One line for each folder src/NAME, and src/GROUP/NAME, that has TypeScript in it and no page that introduces it. */
export function checkReadmes(paths: readonly string[]): string[] {
  const known = new Set(paths)
  const folders = new Set(paths.filter((path) => path.endsWith('.ts')).map((path) => posix.dirname(path)))
  return [...folders]
    .filter((folder) => {
      const [top, group = '', ...inner] = folder.split('/')
      return (
        top === 'src' &&
        group !== '' &&
        (inner.length === 0 || (inner.length === 1 && GROUPS.includes(group) && inner[0] !== 'testing'))
      )
    })
    .filter((folder) => !known.has(`${folder}/README.md`))
    .map((folder) => `${folder}: no README.md`)
    .sort()
}

/** One line for each folder of src/ that the table of folders in CONTRIBUTING.md leaves out, and for each that it lists although it is gone. */
export function checkFolderTable(page: string, paths: readonly string[]): string[] {
  const listed = new Set([...page.matchAll(/^\| `(src\/[\w-]+)` \|/gm)].map(([, folder = '']) => folder))
  const folders = new Set(
    paths.filter((path) => /^src\/[^/]+\//.test(path)).map((path) => path.split('/').slice(0, 2).join('/')),
  )
  return [
    ...[...folders].filter((folder) => !listed.has(folder)).map((folder) => `CONTRIBUTING.md does not list ${folder}`),
    ...[...listed]
      .filter((folder) => !folders.has(folder))
      .map((folder) => `CONTRIBUTING.md lists ${folder}, which does not exist`),
  ].sort()
}
