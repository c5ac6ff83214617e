import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { isHostError, type Host } from '../host.ts'

/** What a part of the contract uses: the host of the running test and paths in its directory. */
export type HostUnderTest = {
  readonly host: Host
  /** A path below the test's directory. */
  at(...names: string[]): string
}

/** Skips the running test with a printed reason when the machine doesn't allow what it needs. */
export async function skipUnless(
  part: { available(): Promise<boolean> },
  what: string,
  context: TestContext,
): Promise<boolean> {
  if (await part.available()) return false
  context.skip(`${what} need privileges or programs that are missing here`)
  return true
}

/** Asserts that the work fails with this errno. */
export async function fails(work: Promise<unknown>, code: string): Promise<void> {
  await assert.rejects(work, (error: unknown) => {
    assert.ok(isHostError(error, code), `expected ${code}, got ${String(error)}`)
    return true
  })
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
export const text = (data: Uint8Array | undefined): string | undefined => data && new TextDecoder().decode(data)
