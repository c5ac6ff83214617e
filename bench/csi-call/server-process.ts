import { startServer } from './servers.ts'
import type { ServerKind } from './servers.ts'

// Started by fork: server-process.ts KIND FOLDER. Says 'ready', then answers every message with the CPU time used so far.
const [kind, folder = ''] = process.argv.slice(2)
await startServer(kind as ServerKind, folder)
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMicros: user + system })
})
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
