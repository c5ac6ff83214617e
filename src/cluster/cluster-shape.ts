import { join } from 'node:path'
import { readFileIfPresent, replaceFileDurably } from '../base/host/index.ts'
import type { HostFiles } from '../base/host/index.ts'
import type { Random } from '../base/random.ts'

/** What a cluster needs to restore at its next start, otherwise volumes and pods would be on nodes that no longer exist. */
export type ClusterShape = {
  readonly nodes: number
  readonly zones: readonly string[]
  /** The port of the API server, so that addresses in other kubeconfigs stay valid. Absent before the first start. */
  readonly port?: number
}

/** The requested shape; undefined where the user did not specify it. */
export type AskedShape = {
  readonly nodes: number | undefined
  readonly zones: readonly string[] | undefined
  readonly port?: number | undefined
}

export type ShapeDecision =
  | { readonly kind: 'taken'; readonly shape: ClusterShape }
  | { readonly kind: 'refused'; readonly problem: string }

/** The name of the file within the data directory. */
export const SHAPE_FILE = 'cluster.json'
/** Grows when a program that knows only the older form would do the wrong thing with the data. */
const FORMAT = 1

/**
 * The shape to start with: the requested one, otherwise the previous one, otherwise one node, or one per zone. No node is removed or moved to another
 * zone.
 */
export function chooseShape(kept: ClusterShape | undefined, asked: AskedShape): ShapeDecision {
  const zones = asked.zones ?? kept?.zones ?? []
  const nodes = asked.nodes ?? Math.max(1, kept?.nodes ?? 0, kept ? 0 : zones.length)
  const port = asked.port ?? kept?.port
  const shape = { nodes, zones, ...(port === undefined ? {} : { port }) }
  if (!kept) return { kind: 'taken', shape }
  if (nodes < kept.nodes)
    return {
      kind: 'refused',
      problem: `it has ${kept.nodes} nodes, and ${nodes} would leave pods and volumes on missing nodes: leave --nodes out, or set it to at least ${kept.nodes}`,
    }
  const moved = Array.from({ length: kept.nodes }, (_, index) => index).find(
    (index) => kept.zones.length > 0 && zoneOf(zones, index) !== zoneOf(kept.zones, index),
  )
  if (moved !== undefined) {
    return {
      kind: 'refused',
      problem: `node-${moved + 1} and its volumes are in zone ${zoneOf(kept.zones, moved)}: leave --zones out, or set it to ${kept.zones.join(',')}`,
    }
  }
  return { kind: 'taken', shape }
}

const zoneOf = (zones: readonly string[], index: number): string | undefined => zones[index % zones.length]

/** Undefined for a directory that no cluster was started in. */
export async function readShape(files: HostFiles, directory: string): Promise<ClusterShape | undefined> {
  const path = join(directory, SHAPE_FILE)
  const bytes = await readFileIfPresent(files, path)
  if (bytes === undefined) return undefined
  const { format, nodes, zones, port } = parseRecord(new TextDecoder().decode(bytes))
  if (typeof format === 'number' && format > FORMAT)
    throw new Error(`${path} was written in format ${format}, this version knows ${FORMAT}: use the newer version`)
  if (format !== FORMAT || typeof nodes !== 'number' || !Array.isArray(zones))
    throw new Error(`${path} is damaged: it should contain something like ${formatShape({ nodes: 1, zones: [] })}`)
  return { nodes, zones: zones.map(String), ...(isPort(port) ? { port } : {}) }
}

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536

function parseRecord(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Written only when it is another one: a start has no time to lose. */
export async function writeShape(
  { files, random }: { files: HostFiles; random: Random },
  directory: string,
  shape: ClusterShape,
): Promise<void> {
  const [path, text] = [join(directory, SHAPE_FILE), `${formatShape(shape)}\n`]
  const present = await readFileIfPresent(files, path)
  if (present && new TextDecoder().decode(present) === text) return
  await replaceFileDurably(files, path, new TextEncoder().encode(text), { random })
}

const formatShape = ({ nodes, zones, port }: ClusterShape): string =>
  JSON.stringify({ format: FORMAT, nodes, zones, port })
