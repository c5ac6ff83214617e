/** Text that is not a value of the kind asked for. The message quotes the text and says what would be right. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

const LONGEST_QUOTE = 60

/** The text in quotes, on one line and never long, for use in a message. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text)
}
