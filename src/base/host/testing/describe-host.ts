import { afterEach, beforeEach, describe } from 'node:test'
import { describeHostFiles } from './describe-host-files.ts'
import { describeHostLoops } from './describe-host-loops.ts'
import { describeHostMounts } from './describe-host-mounts.ts'
import { describeHostWatch } from './describe-host-watch.ts'
import type { HostUnderTest } from './host-under-test.ts'
import type { Host } from '../host.ts'

/** A host, and an empty directory on it that belongs to the test. */
export type OpenedHost = { host: Host; directory: string; close(): Promise<void> }

/** The contract of `Host`, for any implementation. Tests that the machine does not allow are skipped with a message. */
export function describeHost(name: string, open: () => Promise<OpenedHost>): void {
  describe(name, () => {
    let opened: OpenedHost
    beforeEach(async () => {
      opened = await open()
    })
    // Nothing that a failed assertion left behind may stay on a real machine.
    afterEach(async () => {
      await takeDown(opened)
      await opened.close()
    })
    const underTest: HostUnderTest = {
      get host() {
        return opened.host
      },
      at: (...names) => [opened.directory, ...names].join('/'),
    }
    describeHostFiles(underTest)
    describeHostMounts(underTest)
    describeHostLoops(underTest)
    describeHostWatch(underTest)
  })
}

async function takeDown({ host, directory }: OpenedHost): Promise<void> {
  const isOurs = (path: string): boolean => path.startsWith(`${directory}/`)
  for (;;) {
    const last = (await host.mounts.list()).findLast((mount) => isOurs(mount.target))
    if (!last) break
    await host.mounts.unmount(last.target)
  }
  if (!(await host.loops.available())) return
  for (const loop of await host.loops.list()) if (isOurs(loop.backingFile)) await host.loops.detach(loop.device)
}
