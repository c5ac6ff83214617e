import type { Clock } from '../base/clock.ts'

/** What happened, line by line: the same seed gives the same lines. */
export interface Transcript {
  add(actor: string, what: string): void
  text(): string
}

export function createTranscript(clock: Clock): Transcript {
  const lines: string[] = []
  return {
    add: (actor, what) => void lines.push(`${clock.monotonicMs().toFixed(0).padStart(9)} ${actor}: ${what}`),
    text: () => lines.map((line) => `${line}\n`).join(''),
  }
}
