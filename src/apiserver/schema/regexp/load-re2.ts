import { createRequire } from 'node:module'

/** One step of a compiled expression: what RE2 calls an instruction. */
export type Instruction = {
  readonly op: number
  readonly out: number
  readonly arg: number
  matchRune(rune: number): boolean
}

export type Program = { readonly start: number; readonly inst: readonly Instruction[]; startCond(): number }

type Re2 = { RE2JS: { compile(source: string): { re2(): { readonly prog: Program } } } }

/**
 * Compiles an expression in the syntax of Go; throws when it is none. The package takes 15 ms to load, and is loaded with the first
 * expression: a server without custom resources that have patterns never does. It has to happen at once, since validation does not wait.
 */
export function compileWithRe2(source: string): Program {
  const { RE2JS } = createRequire(import.meta.url)('re2js') as Re2 // its types say `any` of what we use
  return RE2JS.compile(source).re2().prog
}
