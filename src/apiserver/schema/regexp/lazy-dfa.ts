import type { CostMeter } from '../cost-meter.ts'
import type { Instruction, Program } from './load-re2.ts'

// The instructions of RE2, by their number.
const ALTERNATIVES = 1
const ALTERNATIVES_MATCH = 2
const CAPTURE = 3
const EMPTY_WIDTH = 4
const MATCH = 6
const NOTHING = 7
const FIRST_RUNE = 8
const LAST_RUNE = 11

// What an instruction of no width asks of its place.
const BEGIN_LINE = 1
const END_LINE = 2
const BEGIN_TEXT = 4
const END_TEXT = 8
const WORD_BOUNDARY = 16
const NO_WORD_BOUNDARY = 32

// What was before a place, as far as that matters.
const AT_BEGIN = 0
const AFTER_LINE = 1
const AFTER_WORD = 2
const AFTER_OTHER = 3

const NEWLINE = 10
const END = -1

/** Where the expression can be after a part of the text; what follows from there, as far as it was needed. */
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

// A character that is met in a known state costs little; a state that has to be found costs by the instructions looked at.
const UNITS_A_CHARACTER = 0.25
const UNITS_A_STATE = 40
const UNITS_AN_INSTRUCTION = 4
// What one expression may remember. Past that it forgets all, and finds anew what it needs.
const MOST_REMEMBERED = 20_000

/**
 * Whether a text has a match of an expression, in a time that is linear in the text. The package has such a thing itself; this one
 * can be stopped by a budget in the middle, so that no expression, however large, needs a guess how long it takes.
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

  /** Throws a `CostExceededError` when the budget is used up. */
  test(text: string, meter: CostMeter): boolean {
    meter.spend(1 + text.length * UNITS_A_CHARACTER)
    let state = this.#start
    for (let at = 0; at < text.length; at++) {
      const rune = text.codePointAt(at) as number // below the length
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

  // Follows everything of no width from where it is, then the character.
  #next(state: State, rune: number, meter: CostMeter): State {
    const { inst } = this.#program
    const flags = flagsAt(state.before, rune)
    const next = new Set<number>()
    const round = this.#nextRound()
    const open = [...state.places]
    while (open.length > 0) {
      const place = open.pop() as number // there is one
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

  // States differ in what was before them only as far as the expression asks.
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
