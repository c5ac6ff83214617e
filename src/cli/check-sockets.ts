/** What is wrong with the socket that a flag names, as problems of a usage error. */
export const checkSocket = (flag: string, word: string | undefined): string[] =>
  word === undefined || /^(unix:)?\/./.test(word)
    ? []
    : [`${flag}: ${JSON.stringify(word)} is no socket; write unix:///path/to/csi.sock or /path/to/csi.sock`]
