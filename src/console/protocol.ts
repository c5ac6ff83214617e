import type { Explanation, Link, Usage } from '../explain/index.ts'

// What the console's server sends to its page.

export type { Usage } from '../explain/index.ts'

/** How an object is doing. Shown as a symbol and a word, never as a colour alone. */
export type Tone = 'good' | 'waiting' | 'bad' | 'plain'

/**
 * `state` cells take the tone of their row; `bytes`, `share` (percent) and `time` (milliseconds since 1970) are formatted by the page; `id` is a long
 * generated name; `list` has one value in each line.
 */
export type ColumnKind = 'text' | 'number' | 'bytes' | 'share' | 'time' | 'state' | 'id' | 'list'
export type Column = {
  readonly title: string
  readonly kind: ColumnKind
  /** Also shown where there is little room. Default: the first four columns. */
  readonly isMain?: boolean
}

export type Cell = string | number | null

export type Row = {
  readonly key: string
  readonly tone: Tone
  readonly cells: readonly Cell[]
  /** The page about it: `pvc/default/data`. Left out if there is none. */
  readonly target?: string
}

export type TableInfo = {
  readonly name: string
  readonly title: string
  readonly columns: readonly Column[]
  /** Why the table may be empty or incomplete, such as missing permissions. */
  readonly note?: string
  /** What to say if there is no row, in place of `No ` and the title. */
  readonly empty?: string
}

export type StreamMessage =
  | { readonly kind: 'hello'; readonly server: string; readonly version: string; readonly tables: readonly TableInfo[] }
  | { readonly kind: 'rows'; readonly table: string; readonly put: readonly Row[]; readonly removed: readonly string[] }
  /** All rows that exist have been sent. */
  | { readonly kind: 'complete' }
  /** These objects changed, as `Kind/namespace/name`. `*`: too many to list. */
  | { readonly kind: 'changed'; readonly objects: readonly string[] }
  /** The API server cannot be reached, or can be reached again. */
  | { readonly kind: 'connection'; readonly problem: string | null }

/**
 * How a time is known. `span`: the part that did it measured it; `seen`: this process watched the object change; `object` and `event`: a timestamp of an
 * object or an event, in whole seconds.
 */
export type TimeSource = 'span' | 'seen' | 'object' | 'event'

/** One step in the life of a volume. */
export type LifeStep = {
  readonly title: string
  /** Who spent the time: `binder`, `provisioner`, `driver`. */
  readonly who: string
  readonly startMs: number
  /** Left out while the step is going on. */
  readonly endMs?: number
  readonly source: TimeSource
  /** A call that belongs to the step above it. */
  readonly isCall?: boolean
  readonly error?: string
}

export type Life = {
  readonly steps: readonly LifeStep[]
  /** The place of the step that took longest; calls do not count. Left out without steps. */
  readonly slowest?: number
  /** What the times are based on, if not all of it was watched. */
  readonly note?: string
}

export type FinalizerInfo = {
  readonly object: string
  readonly finalizer: string
  readonly holder: string
  readonly removedWhen: string
}

export type RelatedObject = {
  readonly id: string
  readonly kind: string
  readonly name: string
  readonly state: string
  readonly target?: string
}

export type CallInfo = {
  readonly method: string
  readonly by: string
  readonly startMs: number
  readonly tookMs: number
  readonly code: string
  readonly error?: string
}

/** A link of the chain, with the page about its object, if there is one. */
export type ChainLink = Omit<Link, 'dependsOn'> & {
  readonly target?: string
  readonly dependsOn: readonly ChainLink[]
}

export type PageExplanation = Omit<Explanation, 'chain'> & { readonly chain: ChainLink }

/** A text that leads to a page, if it has a target. */
export type LinkText = string | { readonly text: string; readonly target: string }

/** A list that only pages of some kinds have, such as the mounts of a node. */
export type ExtraList = {
  readonly title: string
  readonly columns: readonly { readonly title: string; readonly kind: 'text' | 'number' | 'id' }[]
  readonly rows: readonly (readonly LinkText[])[]
  /** What the list is based on, or why it is empty. */
  readonly note?: string
}

/** Several values are drawn as a list. */
export type Fact = readonly [name: string, value: LinkText | readonly LinkText[]]

/** Everything about one object. */
export type ObjectPage = {
  readonly kind: string
  readonly name: string
  /** Left out if the caller may not read what it is made of. */
  readonly explanation?: PageExplanation
  /** How full the volume is. Left out if its node does not say so. */
  readonly usage?: Usage
  readonly lists: readonly ExtraList[]
  readonly facts: readonly Fact[]
  readonly related: readonly RelatedObject[]
  readonly finalizers: readonly FinalizerInfo[]
  readonly life?: Life
  /** Newest first. Left out if this process does not see the calls. */
  readonly calls?: readonly CallInfo[]
  /** `Kind/namespace/name` of every object that the page shows: when one of them changes, the page is read again. */
  readonly shows: readonly string[]
}

export type ObjectAnswer = { readonly page: ObjectPage } | { readonly problem: string }
