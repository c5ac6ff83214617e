import {
  copyFileSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { listFiles } from '../source-file.ts'

/** The working tree in a temporary directory, so that the checkout is never changed, whatever happens. */
export type PrivateCopy = {
  readonly root: string
  /** Changes a file for as long as `use` takes. */
  withChange<T>(path: string, change: (text: string) => string, use: () => Promise<T>): Promise<T>
  remove(): void
}

export function openPrivateCopy(from: string): PrivateCopy {
  const root = mkdtempSync(join(tmpdir(), 'holdfast-mutations-'))
  for (const path of listFiles(from, ['**/*', '**/.*'])) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    // Not links: a test that writes to a file of the tree must not write to the checkout.
    copyFileSync(join(from, path), join(root, path), constants.COPYFILE_FICLONE)
  }
  symlinkSync(join(from, 'node_modules'), join(root, 'node_modules'))
  return {
    root,
    async withChange(path, change, use) {
      const original = readFileSync(join(root, path), 'utf8')
      writeFileSync(join(root, path), change(original))
      try {
        return await use()
      } finally {
        writeFileSync(join(root, path), original)
      }
    },
    remove: () => rmSync(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}
