/** How long a call of a driver may run before people are told. */
export const SLOW_CALL_MS = 40_000

const PUBLISHED_NOTHING = 'NodePublishVolume returned OK, but'
const NO_ANSWER = 'the driver has not answered for'

/** The error of a driver that reports a volume as published and has not published it. */
export const formatPublishedNothing = (path: string, found: string): string =>
  `${PUBLISHED_NOTHING} nothing is mounted at ${path}: ${found}`

/** Whether a message, of an event for example, is about such a driver. */
export const isPublishedNothing = (message: string): boolean => message.includes(PUBLISHED_NOTHING)

/** What an event says while a call is still running. */
export const formatNoAnswer = (waitedMs: number): string => `${NO_ANSWER} ${Math.round(waitedMs / 1000)} s`

export const isNoAnswer = (message: string): boolean => message.includes(NO_ANSWER)
