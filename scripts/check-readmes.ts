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
