/** Seeded randomness. The same seed gives the same numbers on every machine. */

export interface SeededRandom {
  /** In [0, 1). */
  next(): number
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  /** A separate stream: drawing from it does not affect this one. */
  split(): SeededRandom
}

/** The generator sfc32: small, fast and good enough to choose with. */
export function seededRandom(seed: number): SeededRandom {
  let a = seed | 0
  let b = Math.floor(seed / 2 ** 32) | 0
  let c = 0x9e3779b9
  let counter = 1

  function bits(): number {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + sum) | 0
    return sum >>> 0
  }

  // Neighbouring seeds look alike in the first few numbers.
  for (let round = 0; round < 12; round++) bits()

  const next = (): number => bits() / 2 ** 32
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1))
  return {
    next,
    between,
    chance: (probability) => next() < probability,
    pick<T>(list: readonly T[]): T {
      if (list.length === 0) throw new Error('there is nothing to pick from')
      return list[between(0, list.length - 1)] as T
    },
    split: () => seededRandom(bits() + bits() * 2 ** 20),
  }
}
