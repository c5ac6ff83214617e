import { createRequire } from 'node:module'

/** One instruction of a compiled expression. */
export type Instruction = {
  readonly op: number
  readonly out: number
  readonly arg: number
  matchRune(rune: number): boolean
}

export type Program = { readonly start: number; readonly inst: readonly Instruction[]; startCond(): number }

type Re2 = { RE2JS: { compile(source: string): { re2(): { readonly prog: Program } } } }

/**
 * Compiles an expression in Go's syntax; throws if it is invalid. The package takes 15 ms to load and is loaded with the first expression, so a
 * server without patterns in custom resources never loads it. It is loaded synchronously, because validation is synchronous.
 */
export function compileWithRe2(source: string): Program {
  const { RE2JS } = createRequire(import.meta.url)('re2js') as Re2 // its types are `any` for the parts that we use
  return RE2JS.compile(source).re2().prog
}
