import type { Host } from './host.ts'
import { createSystemFiles } from './system-files.ts'
import { createSystemLoops } from './system-loops.ts'
import { createSystemMounts } from './system-mounts.ts'
import { createSystemProcesses } from './system-processes.ts'

/** The machine that this process runs on. */
export function createSystemHost(): Host {
  const processes = createSystemProcesses()
  const files = createSystemFiles()
  return {
    files,
    mounts: createSystemMounts(processes, files),
    loops: createSystemLoops(processes),
    processes,
  }
}
