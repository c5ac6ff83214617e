/** A 64-bit integer in an object: a number as long as that is exact, otherwise a bigint. */
export type Int64 = number | bigint

/** As it is written into an object. */
export const int64Of = (value: bigint): Int64 => Number(value)
