import { join } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Host } from '../base/host/index.ts'
import { CSI_SERVICES, createClient, isCsiError, printableMessage } from '../csi/index.ts'
import type { CallObserver, Code, CsiMethods, Driver, Transport } from '../csi/index.ts'
import type { RecordedCall } from './recorded-call.ts'
import { NotApplicable, Unexpected } from './expectation.ts'
import type { Features, NodeFeatures } from './features.ts'
import type { Journal, JournalEntry } from './journal.ts'
import { createJournaledDriver } from './journaled-driver.ts'
import type { CheckSettings } from './settings.ts'

/** A socket of the driver that a run is connected to. */
export type Target = { readonly endpoint: string; readonly transport: Transport }

/** What all cases of a run share. */
export type CheckParts = {
  readonly run: string
  readonly settings: CheckSettings
  readonly features: Features
  readonly controller: Target
  readonly nodes: readonly (Target & { readonly features: NodeFeatures })[]
  readonly journal: Journal
  readonly host: Host
  readonly clock: Clock
  /** Directory below which volumes are staged and published. */
  readonly work: string
  /** Stops and starts the driver, and returns when it is ready. */
  readonly restart?: () => Promise<void>
}

/** A node as a case uses it. */
export type CheckedNode = { readonly driver: Driver; readonly endpoint: string; readonly features: NodeFeatures }

/** What a case has to work with. All calls are recorded and journaled. */
export type CaseContext = {
  readonly settings: CheckSettings
  readonly features: Features
  readonly driver: Driver
  readonly nodes: readonly CheckedNode[]
  /** The first node. Only for cases that need a node. */
  readonly node: CheckedNode
  readonly host: Host
  readonly clock: Clock
  readonly endpoint: string
  /** A directory of this case. It does not exist yet. */
  readonly directory: string
  /** A name of this run that no other case uses; the same for the same label. */
  name(label: string): string
  /** An ID that no object has. */
  absentId(): string
  /** The controller over a changed transport. */
  driverOver(change: (transport: Transport) => Transport): Driver
  restart(): Promise<void>
  /** DeleteVolume of a volume that this case has created, also after it is gone from the journal or while the journal must keep it. */
  deleteAgain(request: { volumeId: string }): Promise<void>
  /** Fails the case unless the condition holds. */
  expect(condition: boolean, expected: string, found: string): void
  /** Fails the case unless the call fails with one of the codes. */
  refuses(what: string, codes: readonly Code[], call: () => Promise<unknown>): Promise<void>
  /** The reply of a call that may also be refused with one of the codes; undefined if it was. */
  mayRefuse<T>(what: string, codes: readonly Code[], call: () => Promise<T>): Promise<T | undefined>
  skip(reason: string): never
}

export type OpenCase = { context: CaseContext; calls: RecordedCall[]; entries: JournalEntry[] }

/** The context of one case, with the record of its calls and objects. */
export function openCase(parts: CheckParts, number: number): OpenCase {
  const calls: RecordedCall[] = []
  const entries: JournalEntry[] = []
  const { run, settings, journal, clock, host } = parts
  const record = (transport: Transport, node?: string): Driver =>
    createClient<CsiMethods>(CSI_SERVICES, {
      transport,
      clock,
      timeoutMs: settings.callTimeoutMs,
      observe: recordInto(calls, node),
    })
  const plain = record(parts.controller.transport)
  const connect = ({ endpoint, transport }: Target, node?: string): Driver =>
    createJournaledDriver({
      driver: record(transport, node),
      journal,
      endpoint,
      secrets: settings.secrets,
      onEntry: (entry) => void entries.push(entry),
    })
  const nodes = parts.nodes.map((node) => ({
    driver: connect(node, node.features.id),
    endpoint: node.endpoint,
    features: node.features,
  }))
  let absent = 0
  const context: CaseContext = {
    settings,
    features: parts.features,
    driver: connect(parts.controller),
    nodes,
    get node() {
      const [first] = nodes
      if (!first) throw new NotApplicable('no socket serves the node service')
      return first
    },
    host,
    clock,
    endpoint: parts.controller.endpoint,
    directory: join(parts.work, String(number)),
    name: (label) => `holdfast-check-${run}-${number}-${label}`,
    absentId: () => `holdfast-check-${run}-absent-${number}-${(absent += 1)}`,
    driverOver: (change) =>
      connect({ endpoint: parts.controller.endpoint, transport: change(parts.controller.transport) }),
    deleteAgain: async (request) => {
      await plain.deleteVolume(request)
    },
    restart: async () => {
      if (!parts.restart) throw new NotApplicable('no --restart')
      await parts.restart()
    },
    expect: (condition, expected, found) => {
      if (!condition) throw new Unexpected(expected, found)
    },
    refuses: async (what, codes, call) => {
      const expected = `${what} fails with ${codes.join(' or ')}`
      if (await isRefused(expected, codes, call)) return
      throw new Unexpected(expected, 'OK')
    },
    mayRefuse: async (what, codes, call) => {
      let reply: Awaited<ReturnType<typeof call>> | undefined
      const keep = async (): Promise<void> => void (reply = await call())
      await isRefused(`${what} succeeds, or fails with ${codes.join(' or ')}`, codes, keep)
      return reply
    },
    skip: (reason) => {
      throw new NotApplicable(reason)
    },
  }
  return { context, calls, entries }
}

async function isRefused(expected: string, codes: readonly Code[], call: () => Promise<unknown>): Promise<boolean> {
  try {
    await call()
    return false
  } catch (error) {
    if (isCsiError(error, ...codes)) return true
    throw new Unexpected(expected, error instanceof Error ? error.message : String(error))
  }
}

/** Keeps every call of a client, without the values of secrets. */
export function recordInto(calls: RecordedCall[], node: string | undefined): CallObserver {
  return ({ rpc, request, response, code, error, tookMs }) => {
    calls.push({
      rpc: rpc.name,
      ...(node === undefined ? {} : { node }),
      request: printableMessage(rpc.requestName, request),
      ...(response === undefined ? {} : { response: printableMessage(rpc.responseName, response) }),
      code: code ?? 'no gRPC status',
      ...(error ? { error: error.detail } : {}),
      tookMs: Math.round(tookMs * 10) / 10,
    })
  }
}
