import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import type { Node, YAMLMap } from 'yaml'
import { findNearest, parseDuration, UsageError, ValueError } from '../../base/options/index.ts'
import { CODES, CSI_RPCS } from '../../csi/index.ts'
import type { Code } from '../../csi/index.ts'
import { findChangeProblem } from './alter-message.ts'
import type { Fault, FaultAction, FaultPlan } from './fault.ts'

/** A fault that is not limited is applied this often. */
const UNLIMITED = Number.MAX_SAFE_INTEGER
const LONGEST_DELAY_MS = 24 * 60 * 60_000
const ACTIONS = ['error', 'loseReply', 'duplicate', 'cut', 'alter'] as const
const KEYS = ['name', 'rpc', 'volume', 'skip', 'times', 'probability', 'delay', ...ACTIONS] as const
const RPC_NAMES = Array.from(CSI_RPCS.values(), ({ name }) => name)

type Json = Readonly<Record<string, unknown>>

/** Reads a faults file. Throws a `UsageError` with one line per problem, which names the file, the line and the field. */
export function parseFaults(text: string, fileName: string): FaultPlan {
  const lines = new LineCounter()
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, maxAliasCount: 0 } as object)
  const problems: string[] = []
  const lineOf = (node: Node | null | undefined): number => lines.linePos(node?.range?.[0] ?? 0).line
  const report = (node: Node | null | undefined, field: string, problem: string): void =>
    void problems.push(`${fileName}:${lineOf(node)}: ${field === '' ? '' : `${field}: `}${problem}`)
  for (const { pos, message } of document.errors) problems.push(`${fileName}:${lines.linePos(pos[0]).line}: ${message}`)
  const plan = problems.length > 0 ? undefined : readPlan(document.contents, report)
  if (problems.length > 0 || !plan) throw new UsageError(problems)
  return plan
}

type Report = (node: Node | null | undefined, field: string, problem: string) => void

function readPlan(root: Node | null, report: Report): FaultPlan | undefined {
  if (!isMap(root)) {
    report(root, '', 'expected a map with the key faults')
    return undefined
  }
  checkKeys(root, ['seed', 'faults'], '', report)
  const seed = valueAt(root, 'seed')
  if (seed !== undefined && !(Number.isSafeInteger(seed) && Number(seed) >= 0))
    report(nodeAt(root, 'seed'), 'seed', 'expected a whole number, at least 0')
  const list = nodeAt(root, 'faults')
  if (!isSeq(list)) {
    report(list ?? root, 'faults', 'expected a list of faults')
    return undefined
  }
  const faults = list.items.map((item, index) => readFault(item as Node, `faults[${index}]`, report))
  return { seed: seed as number | undefined, faults: faults.filter((fault) => fault !== undefined) }
}

function readFault(node: Node, at: string, report: Report): Fault | undefined {
  if (!isMap(node)) {
    report(node, at, 'expected a map with the keys rpc and what to do')
    return undefined
  }
  checkKeys(node, KEYS, at, report)
  const problem = (key: string, text: string): void => report(nodeAt(node, key) ?? node, `${at}.${key}`, text)
  const json = node.toJSON() as Json
  const rpcs = readRpcs(json['rpc'], (text) => problem('rpc', text))
  const count = (key: 'skip' | 'times', otherwise: number): number => {
    const value = json[key] ?? otherwise
    if (Number.isSafeInteger(value) && Number(value) >= (key === 'times' ? 1 : 0)) return Number(value)
    problem(key, `expected a whole number, at least ${key === 'times' ? 1 : 0}`)
    return otherwise
  }
  const probability = json['probability'] ?? 1
  if (typeof probability !== 'number' || probability < 0 || probability > 1)
    problem('probability', 'expected a number from 0 to 1')
  const volume = json['volume']
  if (volume !== undefined && (typeof volume !== 'string' || volume === ''))
    problem('volume', 'expected a name or ID, * for any characters')
  const name = json['name']
  if (name !== undefined && typeof name !== 'string') problem('name', 'expected a string')
  const delayMs = readDelay(json['delay'], (text) => problem('delay', text))
  const action = readAction(json, { at, rpcs, problem, report: (text) => report(node, at, text) })
  return {
    label: typeof name === 'string' ? name : at,
    rpcs,
    volume: typeof volume === 'string' ? globOf(volume) : undefined,
    skip: count('skip', 0),
    times: count('times', UNLIMITED),
    probability: Number(probability),
    delayMs,
    action,
  }
}

function readRpcs(value: unknown, problem: (text: string) => void): ReadonlySet<string> | undefined {
  const names: unknown[] = Array.isArray(value) ? value : [value]
  if (value === undefined || names.length === 0) {
    problem('is missing; write the name of a call such as CreateVolume, a list of names, or "*"')
    return undefined
  }
  if (names.length === 1 && names[0] === '*') return undefined
  const wrong = names.find((name) => !isRpc(name))
  if (wrong !== undefined) {
    const nearest = typeof wrong === 'string' ? findNearest(wrong, RPC_NAMES) : undefined
    const advice =
      nearest === undefined
        ? 'write a path such as /vendor.v1.Service/Method for other calls'
        : `did you mean ${nearest}?`
    problem(`${JSON.stringify(wrong)} is not a call of CSI; ${advice}`)
  }
  return new Set(names.map(String))
}

const isRpc = (name: unknown): boolean =>
  typeof name === 'string' && (RPC_NAMES.includes(name) || /^\/[\w.]+\/\w+$/.test(name))

function readDelay(value: unknown, problem: (text: string) => void): number {
  if (value === undefined) return 0
  try {
    const delayMs = parseDuration(typeof value === 'string' ? value : JSON.stringify(value))
    if (delayMs >= 0 && delayMs <= LONGEST_DELAY_MS) return delayMs
    problem('expected a duration from 0s to 24h')
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    problem(error.message)
  }
  return 0
}

type ActionParts = {
  at: string
  rpcs: ReadonlySet<string> | undefined
  problem(key: string, text: string): void
  report(text: string): void
}

function readAction(json: Json, { rpcs, problem, report }: ActionParts): FaultAction {
  const given = ACTIONS.filter((key) => json[key] !== undefined)
  const [key, second] = given
  if (second !== undefined)
    report(`has both ${key} and ${second}; a fault does one of ${ACTIONS.join(', ')}, and may add a delay`)
  if (key === undefined) {
    if (json['delay'] === undefined) report(`does nothing; add delay, ${ACTIONS.join(', ')}`)
    return { kind: 'none' }
  }
  const value = json[key]
  const wrong = (text: string): FaultAction => {
    problem(key, text)
    return { kind: 'none' }
  }
  switch (key) {
    case 'error':
      return readError(value, wrong)
    case 'loseReply':
      if (value === 'hang') return { kind: 'lose-reply', code: undefined }
      return isErrorCode(value) ? { kind: 'lose-reply', code: value } : wrong(`expected hang or ${CODE_ADVICE}`)
    case 'duplicate':
      return value === 'after' || value === 'parallel'
        ? { kind: 'duplicate', when: value }
        : wrong('expected after or parallel')
    case 'cut':
      return value === 'before' || value === 'after' ? { kind: 'cut', when: value } : wrong('expected before or after')
    case 'alter':
      return readAlter(value, rpcs, wrong)
  }
}

const CODE_ADVICE = 'a gRPC code such as UNAVAILABLE'
const isErrorCode = (value: unknown): value is Code => value !== 'OK' && CODES.some((code) => code === value)

function readError(value: unknown, wrong: (text: string) => FaultAction): FaultAction {
  const {
    code,
    message = 'injected by holdfast proxy',
    ...others
  } = (typeof value === 'object' && value !== null ? value : { code: value }) as { code?: unknown; message?: unknown }
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) return wrong(`unknown key ${JSON.stringify(unknown)}; the keys are code and message`)
  if (!isErrorCode(code)) return wrong(`expected ${CODE_ADVICE}, or code and message`)
  return typeof message === 'string' ? { kind: 'error', code, message } : wrong('message: expected a string')
}

function readAlter(
  value: unknown,
  rpcs: ReadonlySet<string> | undefined,
  wrong: (text: string) => FaultAction,
): FaultAction {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return wrong('expected a map of field paths and values, for example volume.capacity_bytes: 1')
  const changed = RPC_NAMES.filter((name) => rpcs?.has(name))
  if (!rpcs || changed.length < rpcs.size) return wrong('name the calls of CSI in rpc: the fields depend on the call')
  for (const rpc of CSI_RPCS.values()) {
    if (!rpcs.has(rpc.name)) continue
    for (const [path, to] of Object.entries(value)) {
      const problem = findChangeProblem(rpc.responseName, path, to)
      if (problem !== undefined) return wrong(problem)
    }
  }
  return { kind: 'alter', changes: value as Json }
}

/** Anchored; `*` stands for any characters. */
const globOf = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => RegExp.escape(part))
      .join('.*')}$`,
    's',
  )

function checkKeys(map: YAMLMap, known: readonly string[], at: string, report: Report): void {
  for (const { key } of map.items) {
    const name = isScalar(key) ? String(key.value) : ''
    if (known.includes(name)) continue
    const nearest = findNearest(name, known)
    const advice = nearest === undefined ? `the keys are ${known.join(', ')}` : `did you mean ${nearest}?`
    report(key as Node, at, `unknown key ${JSON.stringify(name)}; ${advice}`)
  }
}

const nodeAt = (map: YAMLMap, key: string): Node | undefined => map.get(key, true) as Node | undefined
const valueAt = (map: YAMLMap, key: string): unknown => map.get(key)
