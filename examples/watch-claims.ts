import { PERSISTENT_VOLUME_CLAIMS } from 'holdfast/api'
import { createLogger, createSystemClock, createSystemHost, createSystemRandom } from 'holdfast/base'
import { connectApi, loadKubeconfig, startInformer } from 'holdfast/kube'

const [path = 'holdfast.kubeconfig'] = process.argv.slice(2)
const [clock, random] = [createSystemClock(), createSystemRandom()]
const log = createLogger({ clock, format: 'text', write: (line) => void process.stderr.write(line) })
const credentials = await loadKubeconfig({ path, parts: { host: createSystemHost(), clock, env: process.env } })
const { api, close } = connectApi({ credentials, clock, random, userAgent: 'watch-claims' })
const claims = startInformer(PERSISTENT_VOLUME_CLAIMS, {}, { api, clock, random, log })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void claims.stop().then(close))
claims.onChange(({ key, after }) => void process.stdout.write(`${key} ${after ? after.status?.phase : 'gone'}\n`))
await claims.synced()
process.stdout.write(`following ${claims.size()} claims of ${credentials.server.href}\n`)
