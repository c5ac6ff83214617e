/** A 64-bit integer in an object: a number if that is exact, otherwise a bigint. */
export type Int64 = number | bigint

const LEAST = -(2n ** 63n)
const MOST = 2n ** 63n - 1n

/** The integer as stored in an object. A value with more than 64 bits becomes the nearest double, as in Kubernetes. */
export const int64Of = (value: bigint): Int64 =>
  Number.isSafeInteger(Number(value)) || value < LEAST || value > MOST ? Number(value) : value
