/** Fields with IDs that a driver chooses. */
export const ID_FIELDS: ReadonlySet<string> = new Set([
  'volume_id',
  'source_volume_id',
  'source_volume_ids',
  'snapshot_id',
  'snapshot_ids',
  'base_snapshot_id',
  'target_snapshot_id',
  'group_snapshot_id',
  'node_id',
  'published_node_ids',
  'next_token',
  'starting_token',
])

/** Maps that a driver fills and gets back. */
export const CONTEXT_FIELDS: ReadonlySet<string> = new Set(['volume_context', 'publish_context'])

/** Paths that the caller chooses. */
export const PATH_FIELDS: ReadonlySet<string> = new Set(['target_path', 'staging_target_path', 'volume_path'])

/** What the driver of the replay calls the things of the recording. */
export interface ValueMap {
  /** The driver's own ID; undefined if the recorded one was not seen in an answer yet. */
  find(recorded: string): string | undefined
  learn(recorded: string, actual: string): void
  /** The text with every known ID replaced by the driver's own. */
  translate(text: string): string
  /** The driver's own value for a context entry. */
  context(key: string, recorded: string): string
  learnContext(key: string, recorded: string, actual: string): void
}

// Replacing shorter IDs inside of other texts would change ordinary words.
const SHORTEST_INSIDE = 4

export function createValueMap(): ValueMap {
  const ids = new Map<string, string>()
  const contexts = new Map<string, string>()
  const keyOf = (key: string, recorded: string): string => JSON.stringify([key, recorded])
  const translate = (text: string): string => {
    const whole = ids.get(text)
    if (whole !== undefined) return whole
    let translated = text
    // The longest first: one ID may be part of another.
    for (const [recorded, actual] of [...ids].sort(([one], [other]) => other.length - one.length))
      if (recorded.length >= SHORTEST_INSIDE) translated = translated.replaceAll(recorded, actual)
    return translated
  }
  return {
    find: (recorded) => ids.get(recorded),
    learn: (recorded, actual) => void ids.set(recorded, actual),
    translate,
    context: (key, recorded) => contexts.get(keyOf(key, recorded)) ?? translate(recorded),
    learnContext: (key, recorded, actual) => void contexts.set(keyOf(key, recorded), actual),
  }
}
