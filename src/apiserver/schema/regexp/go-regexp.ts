import type { CostMeter } from '../cost-meter.ts'
import { LazyDfa } from './lazy-dfa.ts'
import { compileWithRe2 } from './load-re2.ts'
import type { Program } from './load-re2.ts'
import { weighPattern } from './weigh-pattern.ts'

/** The largest expression that is accepted: compiling it takes 20 ms. Typical expressions weigh less than 300. */
export const MOST_WEIGHT = 6000

/** A regular expression in Go's syntax, which is that of RE2, with linear run time. It is compiled on first use. */
export class GoRegExp {
  readonly source: string
  #compiled: LazyDfa | string | undefined

  constructor(source: string) {
    this.source = source
  }

  /** Why the expression is invalid, with Go's message; undefined if it is valid. */
  get problem(): string | undefined {
    const compiled = this.#compile()
    return typeof compiled === 'string' ? compiled : undefined
  }

  /** Whether there is a match anywhere in the text; false if the expression is invalid. Throws a `CostExceededError`. */
  test(text: string, meter: CostMeter): boolean {
    const compiled = this.#compile()
    return typeof compiled !== 'string' && compiled.test(text, meter)
  }

  #compile(): LazyDfa | string {
    this.#compiled ??= compile(this.source)
    return this.#compiled
  }
}

function compile(source: string): LazyDfa | string {
  if (weighPattern(source) > MOST_WEIGHT) return 'error parsing regexp: expression too large'
  let program: Program
  try {
    program = compileWithRe2(source)
  } catch (error) {
    if (error instanceof Error && error.name === 'RE2JSSyntaxException') return error.message
    throw error
  }
  return new LazyDfa(program)
}
