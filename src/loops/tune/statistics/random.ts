/** Order and choice by chance. The generator is passed in, so the same seed gives the same order. */

/** In [0, 1). */
export type Random = () => number

/** A new list in random order. */
export function shuffle<T>(list: readonly T[], random: Random): readonly T[] {
  const order = [...list]
  for (let last = order.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1))
    const [one, other] = [order[last], order[at]]
    order[last] = other as T
    order[at] = one as T
  }
  return order
}

/** A generator for a seed (mulberry32): the same numbers on every machine. */
export function randomFrom(seed: number): Random {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
