/** A 64-bit integer in an object: a number as long as that is exact, otherwise a bigint. */
export type Int64 = number | bigint

const LEAST = -(2n ** 63n)
const MOST = 2n ** 63n - 1n

/** As it is kept in an object. What has more than 64 bits becomes the nearest double, as in Kubernetes. */
export const int64Of = (value: bigint): Int64 =>
  Number.isSafeInteger(Number(value)) || value < LEAST || value > MOST ? Number(value) : value
