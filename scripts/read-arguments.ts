/** Reads the arguments of a script. If one is wrong, prints the message without a stack trace, and exits with 2. */
export function readArguments<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    process.exit(2)
  }
}
