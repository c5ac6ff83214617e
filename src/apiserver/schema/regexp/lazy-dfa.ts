import type { CostMeter } from '../cost-meter.ts'
import type { Instruction, Program } from './load-re2.ts'

// The instruction numbers of RE2.
const ALTERNATIVES = 1
const ALTERNATIVES_MATCH = 2
const CAPTURE = 3
const EMPTY_WIDTH = 4
const MATCH = 6
const NOTHING = 7
const FIRST_RUNE = 8
const LAST_RUNE = 11

// The condition of a zero-width instruction.
const BEGIN_LINE = 1
const END_LINE = 2
const BEGIN_TEXT = 4
const END_TEXT = 8
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

// What precedes a position, as far as it matters.
const AT_BEGIN = 0
const AFTER_LINE = 1
const AFTER_WORD = 2
const AFTER_OTHER = 3

const NEWLINE = 10
const END = -1

/** The instructions that can be active after a part of the text, with the transitions found so far. */
type State = {
  readonly places: readonly number[]
  readonly before: number
  readonly ascii: (State | undefined)[]
  readonly others: Map<number, State>
}

const createState = (places: readonly number[], before: number): State => ({
  places,
  before,
  ascii: [],
  others: new Map(),
})
const MATCHED = createState([], AFTER_OTHER)
const DEAD = createState([], AFTER_OTHER)

// A character in a known state costs little; computing a new state costs by the number of instructions visited.
const UNITS_A_CHARACTER = 0.25
const UNITS_A_STATE = 40
const UNITS_AN_INSTRUCTION = 4
// The cache limit of one expression. Above it, the cache is cleared and filled again as needed.
const MOST_REMEMBERED = 20_000

/**
 * Tests whether a text matches an expression, in linear time. The package can do that too, but this implementation can be interrupted by a budget, so
 * that no estimate is needed of how long a large expression takes.
 */
export class LazyDfa {
  readonly #program: Program
  readonly #isAnchored: boolean
  readonly #asked: number
  readonly #seen: Uint32Array
  readonly #start: State
  #round = 0
  #states = new Map<string, State>()
  #remembered = 0

  constructor(program: Program) {
    this.#program = program
    this.#isAnchored = (program.startCond() & BEGIN_TEXT) !== 0
    this.#asked = program.inst.reduce((asked, { op, arg }) => (op === EMPTY_WIDTH ? asked | arg : asked), 0)
    this.#seen = new Uint32Array(program.inst.length)
    this.#start = createState([program.start], this.#before(END))
  }

  /** Throws a `CostExceededError` if the budget is used up. */
  test(text: string, meter: CostMeter): boolean {
    meter.spend(1 + text.length * UNITS_A_CHARACTER)
    let state = this.#start
    for (let at = 0; at < text.length; at++) {
      const rune = text.codePointAt(at) as number // `at` is below the length
      if (rune > 0xffff) at += 1
      const known = rune < 128 ? state.ascii[rune] : state.others.get(rune)
      state = known ?? this.#follow(state, rune, meter)
      if (state === MATCHED) return true
      if (state === DEAD) return false
    }
    return (state.others.get(END) ?? this.#follow(state, END, meter)) === MATCHED
  }

  #follow(state: State, rune: number, meter: CostMeter): State {
    meter.spend(UNITS_A_STATE)
    const next = this.#next(state, rune, meter)
    this.#remembered += 1
    if (rune >= 0 && rune < 128) state.ascii[rune] = next
    else state.others.set(rune, next)
    return next
  }

  // Follows all zero-width instructions from the state, then the character.
  #next(state: State, rune: number, meter: CostMeter): State {
    const { inst } = this.#program
    const flags = flagsAt(state.before, rune)
    const next = new Set<number>()
    const round = this.#nextRound()
    const open = [...state.places]
    while (open.length > 0) {
      const place = open.pop() as number // not empty
      if (this.#seen[place] === round) continue
      this.#seen[place] = round
      meter.spend(UNITS_AN_INSTRUCTION)
      const { op, out, arg } = inst[place] as Instruction // places are indexes
      if (op === MATCH) return MATCHED
      if (op === ALTERNATIVES || op === ALTERNATIVES_MATCH) open.push(out, arg)
      else if (op === CAPTURE || op === NOTHING) open.push(out)
      else if (op === EMPTY_WIDTH) {
        if ((arg & ~flags) === 0) open.push(out)
      } else if (op >= FIRST_RUNE && op <= LAST_RUNE && rune !== END && (inst[place] as Instruction).matchRune(rune))
        next.add(out)
    }
    if (rune === END) return DEAD
    if (!this.#isAnchored) next.add(this.#program.start)
    return next.size === 0
      ? DEAD
      : this.#find(
          [...next].sort((left, right) => left - right),
          this.#before(rune),
        )
  }

  #find(places: readonly number[], before: number): State {
    const key = `${before}:${places.join(',')}`
    const known = this.#states.get(key)
    if (known) return known
    if (this.#remembered > MOST_REMEMBERED) {
      this.#states = new Map()
      this.#start.ascii.length = 0
      this.#start.others.clear()
      this.#remembered = 0
    }
    const state = createState(places, before)
    this.#states.set(key, state)
    this.#remembered += places.length
    return state
  }

  // States are distinguished by what precedes them only as far as the expression depends on it.
  #before(rune: number): number {
    if (rune === END) return (this.#asked & (BEGIN_TEXT | BEGIN_LINE)) === 0 ? AFTER_OTHER : AT_BEGIN
    if (rune === NEWLINE && (this.#asked & BEGIN_LINE) !== 0) return AFTER_LINE
    return (this.#asked & (WORD_BOUNDARY | NO_WORD_BOUNDARY)) !== 0 && isWord(rune) ? AFTER_WORD : AFTER_OTHER
  }

  #nextRound(): number {
    this.#round += 1
    if (this.#round === 2 ** 32) {
      this.#seen.fill(0)
      this.#round = 1
    }
    return this.#round
  }
}

function flagsAt(before: number, rune: number): number {
  let flags = (before === AFTER_WORD) === isWord(rune) ? NO_WORD_BOUNDARY : WORD_BOUNDARY
  if (before === AT_BEGIN) flags |= BEGIN_TEXT | BEGIN_LINE
  if (before === AFTER_LINE) flags |= BEGIN_LINE
  if (rune === END) flags |= END_TEXT | END_LINE
  if (rune === NEWLINE) flags |= END_LINE
  return flags
}

const isWord = (rune: number): boolean =>
  (rune >= 0x61 && rune <= 0x7a) || (rune >= 0x41 && rune <= 0x5a) || (rune >= 0x30 && rune <= 0x39) || rune === 0x5f
