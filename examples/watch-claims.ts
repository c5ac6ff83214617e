import { connect, PERSISTENT_VOLUME_CLAIMS, untilStopped } from 'holdfast'

const stopped = untilStopped()
const [kubeconfig = 'holdfast.kubeconfig'] = process.argv.slice(2)
await using cluster = await connect({ name: 'watch-claims', kubeconfig })
const claims = cluster.informers.get(PERSISTENT_VOLUME_CLAIMS)
claims.onChange(({ key, after }) => void process.stdout.write(`${key} ${after ? after.status?.phase : 'gone'}\n`))
await claims.synced()
process.stdout.write(`following ${claims.size()} claims of ${cluster.server.href}\n`)
await stopped
