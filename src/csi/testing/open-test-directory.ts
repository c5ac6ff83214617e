import type { TestContext } from 'node:test'
import { createSystemHost, removeTree } from '../../base/host/index.ts'
import { createSystemRandom, createUuid } from '../../base/random.ts'

/** A directory for the running test, removed afterwards. Always below /tmp, regardless of TMPDIR, because the path of a socket must be short. */
export async function openTestDirectory(test: Pick<TestContext, 'after'>): Promise<string> {
  const host = createSystemHost()
  const directory = `/tmp/holdfast-csi-${createUuid(createSystemRandom())}`
  await host.files.makeDirectory(directory, 0o700)
  test.after(() => removeTree(host, directory))
  return directory
}
