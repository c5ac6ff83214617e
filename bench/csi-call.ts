import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, open, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { connectBare, connectGrpc, connectHoldfast, joinHoldfast } from './csi-call/callers.ts'
import type { Caller } from './csi-call/callers.ts'
import { measure, medianCost, startServerProcess } from './csi-call/measure.ts'
import type { Cost, ServerProcess } from './csi-call/measure.ts'
import { createVolumeRequest, REQUEST_BYTES, RESPONSE_BYTES } from './csi-call/message.ts'

// What one CSI call costs: npm run bench csi-call [-- --data=DIR --rounds=N]. How to read it: bench/README.md.
const { values } = parseArgs({ options: { data: { type: 'string' }, rounds: { type: 'string', default: '5' } } })
const folder = mkdtempSync(join(resolve(values.data ?? tmpdir()), 'holdfast-bench-'))
const rounds = Math.min(Math.max(Number(values.rounds) || 1, 1), 9)
const IN_FLIGHT = [1, 64]
// With many in flight, since the compiler counts calls, not time.
const WARM_UP = { inFlight: 64, forMs: 1000 }
const ROUND_MS = 200
const VOLUMES_MS = 1000

const write = (line: string): void => void process.stdout.write(`${line}\n`)
let number = 0
const nextNumber = (): number => number++

type Subject = { name: string; caller: Caller; server: ServerProcess | undefined }

async function benchCalls(): Promise<void> {
  const overSocket = async (
    name: string,
    kind: 'http2' | 'grpc-js' | 'holdfast',
    connect: (path: string) => Caller,
  ): Promise<Subject> => {
    const server = await startServerProcess(kind, folder)
    return { name, server, caller: connect(join(folder, `${kind}.sock`)) }
  }
  const subjects: Subject[] = [
    await overSocket('bare node:http2', 'http2', connectBare),
    await overSocket('bare grpc-js', 'grpc-js', connectGrpc),
    await overSocket('holdfast, socket', 'holdfast', connectHoldfast),
    { name: 'holdfast, in memory', caller: joinHoldfast(), server: undefined },
  ]
  write(
    `one CreateVolume, ${REQUEST_BYTES.length} bytes there and ${RESPONSE_BYTES.length} back; µs per call; ratios to bare node:http2`,
  )
  for (const { caller, server } of subjects) await measure({ call: caller.call, server, nextNumber, ...WARM_UP })
  for (const inFlight of IN_FLIGHT) {
    const costs = new Map<string, Cost[]>(subjects.map(({ name }) => [name, []]))
    // In turn, so that whatever else the machine does falls on all of them alike.
    for (let round = 0; round < rounds; round++) {
      for (const { name, caller, server } of subjects) {
        costs.get(name)?.push(await measure({ call: caller.call, inFlight, server, nextNumber, forMs: ROUND_MS }))
      }
    }
    printCalls(inFlight, new Map(Array.from(costs, ([name, list]) => [name, medianCost(list)])))
  }
  for (const { caller, server } of subjects) {
    caller.close()
    await server?.stop()
  }
}

function printCalls(inFlight: number, costs: ReadonlyMap<string, Cost>): void {
  write('')
  write(columns(`${inFlight} in flight`, ['client CPU', 'server CPU', 'CPU', 'ratio', 'time', 'ratio', 'calls']))
  const [floor] = costs.values()
  for (const [name, cost] of costs) {
    const cpu = cost.clientMicros + cost.serverMicros
    const cpuRatio = floor ? cpu / (floor.clientMicros + floor.serverMicros) : 1
    const timeRatio = floor ? cost.wallMicros / floor.wallMicros : 1
    const numbers = [cost.clientMicros, cost.serverMicros, cpu].map((micros) => micros.toFixed(0))
    write(
      columns(name, [
        ...numbers,
        cpuRatio.toFixed(2),
        cost.wallMicros.toFixed(0),
        timeRatio.toFixed(2),
        String(cost.calls),
      ]),
    )
  }
}

async function benchVolumes(): Promise<void> {
  const server = await startServerProcess('hostpath', folder)
  const { driver, close } = connectHoldfast(join(folder, 'hostpath.sock'))
  write('')
  write(`bundled driver, volumes on disk in ${values.data ?? 'the temporary directory'}; µs per call`)
  write('')
  write(columns('', ['client CPU', 'server CPU', 'time', 'per second']))
  const volumeIds: string[] = []
  const create = async (index: number): Promise<void> => {
    const { accessibilityRequirements: _anywhere, ...request } = createVolumeRequest(index)
    const { volume } = await driver.createVolume(request)
    volumeIds.push(volume?.volumeId ?? '')
  }
  const remove = (): Promise<unknown> => driver.deleteVolume({ volumeId: volumeIds.pop() ?? '' })
  await measure({ call: create, server, nextNumber, ...WARM_UP })
  await measure({ call: remove, server, nextNumber, ...WARM_UP, calls: volumeIds.length })
  for (const inFlight of IN_FLIGHT) {
    const parts = { inFlight, server, nextNumber, forMs: VOLUMES_MS }
    printVolumes(`create, ${inFlight} in flight`, await measure({ ...parts, call: create }))
    printVolumes(`delete, ${inFlight} in flight`, await measure({ ...parts, call: remove, calls: volumeIds.length }))
  }
  close()
  await server.stop()
  await benchSteps()
}

// What the disk alone asks for what a create has to do: a file, its name and the name of its folder made durable.
async function benchSteps(): Promise<void> {
  const record = Buffer.alloc(400)
  const sync = async (path: string): Promise<void> => {
    await using handle = await open(path, 'r')
    await handle.sync()
  }
  const call = async (index: number): Promise<void> => {
    const making = join(folder, `making-${index}`)
    await mkdir(making)
    await mkdir(join(making, 'data'))
    {
      await using file = await open(join(making, 'record'), 'w')
      await file.write(record)
      await file.sync()
    }
    await sync(making)
    await rename(making, join(folder, `made-${index}`))
    await sync(folder)
  }
  for (const inFlight of IN_FLIGHT) {
    printVolumes(
      `the same steps alone, ${inFlight}`,
      await measure({ call, inFlight, server: undefined, nextNumber, forMs: VOLUMES_MS / 2 }),
    )
  }
}

function printVolumes(name: string, { clientMicros, serverMicros, wallMicros }: Cost): void {
  write(
    columns(
      name,
      [clientMicros, serverMicros, wallMicros, 1e6 / wallMicros].map((value) => value.toFixed(0)),
    ),
  )
}

const columns = (name: string, cells: readonly string[]): string =>
  name.padEnd(26) + cells.map((cell) => cell.padStart(12)).join('')

const startMs = performance.now()
try {
  await benchCalls()
  await benchVolumes()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
write('')
write(`node ${process.version}, ${((performance.now() - startMs) / 1000).toFixed(1)} s`)
