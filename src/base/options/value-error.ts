/** Text that is not a value of the expected type. The message quotes the text and says what is valid. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

const LONGEST_QUOTE = 60

/** The text in quotes, shortened and on one line, for use in a message. */
export function quoteText(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE - 1)}…` : text)
}
