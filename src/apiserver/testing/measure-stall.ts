import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRawClient } from './raw-client.ts'
import type { RawClient, RawReply } from './raw-client.ts'
import { NEIGHBOUR, NEIGHBOUR_OBJECT, TENANT } from './stall-attack.ts'
import type { StallAttack } from './stall-attack.ts'
import type { StallReply, StallRequest } from './stall-server.ts'
import { warmUp } from './warm-up.ts'

export type StallMeasurement = {
  readonly reply: RawReply
  /** The longest time for which the server's main thread served nobody else, in its own CPU time: a busy machine does not count. */
  readonly worstTurnMs: number
  /** How often the neighbour was answered while the attack went on. */
  readonly neighbourAnswers: number
}

/** An API server in a process of its own, which is attacked while somebody else reads from it. */
export interface StallBench extends AsyncDisposable {
  /** Fails when the server does not survive. */
  measure(attack: StallAttack, attempt: number): Promise<StallMeasurement>
  readonly isAlive: boolean
}

// Less than what a machine has, so that an attack on the memory ends this process alone, and soon.
const HEAP_MEGABYTES = 768
const TOKENS = { [TENANT]: 'token-of-the-tenant', [NEIGHBOUR]: 'token-of-the-neighbour' }

export async function openStallBench(): Promise<StallBench> {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-stalls-'))
  const tokenFile = join(directory, 'tokens.csv')
  await writeFile(
    tokenFile,
    Object.entries(TOKENS)
      .map(([user, token]) => `${token},${user},${user}\n`)
      .join(''),
  )
  const child = fork(join(import.meta.dirname, 'stall-server.ts'), {
    execArgv: [`--max-old-space-size=${HEAP_MEGABYTES}`],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let output = ''
  child.stderr?.on('data', (chunk: Uint8Array) => void (output += Buffer.from(chunk).toString()))
  const exited = once(child, 'exit')
  const death = exited.then(([code, signal]): never => {
    throw new Error(`the API server ended with ${code ?? signal}: ${output.slice(0, 2000)}`)
  })
  // Reported by the calls that are waiting for a reply.
  death.catch(() => {})

  const ask = async (request: StallRequest): Promise<StallReply> => {
    const replied = once(child, 'message') as Promise<[StallReply]>
    child.send(request)
    const [reply] = await Promise.race([replied, death])
    if (reply.kind === 'failed') throw new Error(reply.message)
    return reply
  }
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    await rm(directory, { recursive: true, force: true })
  }

  const started = await ask({ kind: 'start', tokenFile })
  if (started.kind !== 'started') throw new Error(`the API server answered ${started.kind}`)
  const open = (token: string): Promise<RawClient> =>
    openRawClient({ address: started.address, caPem: started.caPem }, { token })
  const neighbour = await open(TOKENS[NEIGHBOUR])
  // The server closes a connection without a first request after ten seconds; on a busy machine the preparation takes longer.
  await neighbour.ask({ path: '/version' })
  await warmUp(await open(TOKENS[TENANT]))

  const measure: StallBench['measure'] = async (attack, attempt) => {
    await ask({ kind: 'prepare', attack: attack.name, attempt })
    const request = attack.request(attempt)
    const tenant = await open(TOKENS[TENANT])
    try {
      await ask({ kind: 'begin' })
      const attacked = Promise.race([tenant.ask(request), death])
      const neighbourAnswers = await Promise.race([readUntil(neighbour, attacked), death])
      const measured = await ask({ kind: 'end' })
      if (measured.kind !== 'measured') throw new Error(`the API server answered ${measured.kind}`)
      return { reply: await attacked, worstTurnMs: measured.report.worstTurnMs, neighbourAnswers }
    } finally {
      tenant.close()
    }
  }
  return {
    measure,
    get isAlive() {
      return child.exitCode === null && child.signalCode === null
    },
    [Symbol.asyncDispose]: async () => {
      neighbour.close()
      await close()
    },
  }
}

/** Reads a small object again and again until the promise settles; says how often that worked. */
async function readUntil(client: RawClient, settled: Promise<unknown>): Promise<number> {
  let isSettled = false
  const settle = (): void => void (isSettled = true)
  settled.then(settle, settle)
  let answers = 0
  while (!isSettled) {
    const { status } = await client.ask({ path: `/api/v1/namespaces/default/configmaps/${NEIGHBOUR_OBJECT}` })
    if (status !== 200) throw new Error(`the neighbour was answered with ${status}`)
    answers += 1
  }
  return answers
}
