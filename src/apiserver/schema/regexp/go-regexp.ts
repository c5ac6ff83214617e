import type { CostMeter } from '../cost-meter.ts'
import { LazyDfa } from './lazy-dfa.ts'
import { compileWithRe2 } from './load-re2.ts'
import type { Program } from './load-re2.ts'
import { weighPattern } from './weigh-pattern.ts'

/** The largest expression that is taken: to compile it takes 20 ms. Those that people write weigh less than 300. */
export const MOST_WEIGHT = 6000

/** A regular expression in the syntax of Go, which is that of RE2, and as linear. It is compiled when it is first needed. */
export class GoRegExp {
  readonly source: string
  #compiled: LazyDfa | string | undefined

  constructor(source: string) {
    this.source = source
  }

  /** Why this is no expression, in Go's words; undefined when it is one. */
  get problem(): string | undefined {
    const compiled = this.#compile()
    return typeof compiled === 'string' ? compiled : undefined
  }

  /** Whether there is a match anywhere in the text; there is none of what is no expression. Throws a `CostExceededError`. */
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
