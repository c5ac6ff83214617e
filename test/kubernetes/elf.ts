/** The machine an ELF file is for, and the libraries it names; undefined for any other file. Only 64-bit little-endian files are known. */
export function elfFacts(file: Buffer): { machine: number; needed: string[] } | undefined {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2 || file[5] !== 1) return undefined
  const machine = file.readUInt16LE(18)
  const segments = segmentsOf(file)
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC)
  if (!dynamic) return { machine, needed: [] }
  const entries: { tag: number; value: number }[] = []
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16) {
    entries.push({ tag: Number(file.readBigInt64LE(at)), value: Number(file.readBigUInt64LE(at + 8)) })
  }
  const address = entries.find(({ tag }) => tag === DT_STRTAB)?.value ?? 0
  const holder = segments.find(
    ({ type, start, size }) => type === PT_LOAD && address >= start && address < start + size,
  )
  const strings = address - (holder?.start ?? 0) + (holder?.offset ?? 0)
  const textAt = (at: number): string => file.toString('latin1', at, file.indexOf(0, at))
  return { machine, needed: entries.filter(({ tag }) => tag === DT_NEEDED).map(({ value }) => textAt(strings + value)) }
}

const PT_LOAD = 1
const PT_DYNAMIC = 2
const DT_NEEDED = 1
const DT_STRTAB = 5

function segmentsOf(file: Buffer): { type: number; offset: number; start: number; size: number }[] {
  const table = Number(file.readBigUInt64LE(32))
  return Array.from({ length: file.readUInt16LE(56) }, (_, index) => {
    const at = table + index * file.readUInt16LE(54)
    return {
      type: file.readUInt32LE(at),
      offset: Number(file.readBigUInt64LE(at + 8)),
      start: Number(file.readBigUInt64LE(at + 16)),
      size: Number(file.readBigUInt64LE(at + 32)),
    }
  })
}
