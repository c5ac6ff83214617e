/** The command was typed wrongly. Each problem is one line that says what was wrong and what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = Object.freeze([...problems])
  }
}
