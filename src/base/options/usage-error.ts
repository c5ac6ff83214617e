/** An invalid command line. Each problem is one line that says what is wrong and what to type instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const different = [...new Set(problems)]
    super(different.join('\n'))
    this.problems = Object.freeze(different)
  }
}
